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
	const plait_launch launch = items(WIDTH, HEIGHT);
	plait_context *context;
	plait_device *device;
	plait_kernel *kernel;
	plait_queue *queue;
	plait_buffer *picture;

	must(plait_context_open(NULL, &context, &error));
	must(plait_context_device(context, 0, &device, &error));
	must(plait_queue_create(device, NULL, &queue, &error));
	kernel = read_kernel(context, "mandelbrot", "mandelbrot");
	picture = new_buffer(device, NULL, sizeof(pixels));

	plait_argument arguments[] = { BUFFER(picture), VALUE(width),
				       VALUE(height), VALUE(most) };

	must(plait_queue_launch(queue, kernel, &launch, arguments, 4, &error));
	must(plait_queue_finish(queue, PLAIT_FOREVER, &error));
	read_buffer(picture, pixels, sizeof(pixels));
	write_picture(count > 1 ? words[1] : "mandelbrot.pgm", pixels);

	plait_buffer_release(picture);
	plait_kernel_release(kernel);
	plait_queue_release(queue);
	plait_context_release(context);
	return 0;
}
