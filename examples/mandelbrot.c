/* SPDX-License-Identifier: MIT */
/*
 * The Mandelbrot set as a picture: one kernel, one launch.
 *
 *     mandelbrot [FILE.pgm]
 */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 600, HEIGHT = 400 };

static void write_picture(const char *path, unsigned char *pixels)
{
	FILE *file = fopen(path, "wb");
	int inside = 0;

	if (file == NULL) {
		perror(path);
		exit(1);
	}
	for (int i = 0; i < WIDTH * HEIGHT; i++) {
		inside += pixels[i] == 255;
		pixels[i] = (unsigned char)(255 - pixels[i]);
	}
	fprintf(file, "P5 %d %d 255\n", WIDTH, HEIGHT);
	fwrite(pixels, 1, WIDTH * HEIGHT, file);
	fclose(file);
	printf("%d x %d pixels, %.1f %% of them in the set\n", WIDTH, HEIGHT,
	       100.0 * inside / (WIDTH * HEIGHT));
}

int main(int count, char **words)
{
	static unsigned char pixels[WIDTH * HEIGHT];
	const uint32_t width = WIDTH, height = HEIGHT, most = 255;
	plait_queue *queue;

	open_system();
	must(plait_queue_create(device, NULL, &queue, &error));
	plait_kernel *kernel = read_kernel("mandelbrot", "mandelbrot");
	plait_buffer *picture = new_buffer(NULL, sizeof(pixels));

	must(plait_queue_launch(queue, kernel, PLAIT_ITEMS(WIDTH, HEIGHT),
				PLAIT_ARGUMENTS(PLAIT_BUFFER(picture), PLAIT_VALUE(width),
						PLAIT_VALUE(height), PLAIT_VALUE(most)), &error));
	must(plait_queue_finish(queue, PLAIT_FOREVER, &error));
	read_buffer(picture, pixels, sizeof(pixels));
	write_picture(count > 1 ? words[1] : "mandelbrot.pgm", pixels);

	plait_queue_release(queue);
	close_system();
	return 0;
}
