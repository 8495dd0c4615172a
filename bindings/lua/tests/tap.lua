-- SPDX-License-Identifier: MIT
-- The Test Anything Protocol.
local tap = {}
local count, failed = 0, 0

function tap.ok(held, name)
  count = count + 1
  if not held then failed = failed + 1 end
  print((held and "ok " or "not ok ") .. count .. " - " .. name)
end

function tap.is(got, want, name)
  tap.ok(got == want, name)
  if got ~= want then print("#   got " .. tostring(got) .. ", wanted " .. tostring(want)) end
end

-- Check that fn(...) fails with a text that matches the pattern.
function tap.raises(pattern, name, fn, ...)
  local good, text = pcall(fn, ...)
  tap.ok(not good and tostring(text):find(pattern), name)
  if good or not tostring(text):find(pattern) then print("#   got " .. tostring(text)) end
end

-- Print the plan; end the program.
function tap.done(close)
  print("1.." .. count)
  os.exit(failed == 0, close)
end

return tap
