#!lua flags=no-writes
-- For each window: how many requests does it count now, and when does the oldest of them leave it? Redis itself refuses
-- any write of this script. The numbers are those that admit.lua would find, which drops what has left the window.
-- window_head.lua goes before this text, and has `leading`.
--
-- KEYS    one a window: log of admitted requests (microsecond stamps, newest first)
-- ARGV    one a window: its length in microseconds
-- reply   one a window: {counted, reset}; reset is 0 where nothing is counted
local time = redis.call('TIME')
local moment = time[1] * 1000000 + time[2]

local function stamp_at(log, position)
  return tonumber(redis.call('LINDEX', log, position))
end

local function look(log, window)
  local count = redis.call('LLEN', log)
  if count == 0 then
    return {0, 0}
  end
  local newest = stamp_at(log, 0)
  -- Redis failed over to a slower clock: stamps from beyond the next second count as of now.
  local now = (newest > moment and newest <= moment + 1000000) and newest or moment
  local expired = now - window
  if newest <= expired then
    return {0, 0}
  end
  local oldest = stamp_at(log, -1)
  if oldest <= expired then
    count = leading(log, count, expired)
    oldest = stamp_at(log, count - 1)
  end
  return {count, math.min(oldest, now) + window}
end

local replies = {}
for i, log in ipairs(KEYS) do
  replies[i] = look(log, tonumber(ARGV[i]))
end
return replies
