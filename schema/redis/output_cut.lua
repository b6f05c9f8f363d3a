#!lua flags=allow-oom
-- Ends what is kept of a run's output by one line that says so. What the run prints later is dropped without a word;
-- its numbers count on. A few bytes a run, so it is done in a full Redis too.
-- KEYS[1] the stream; KEYS[2] its state; ARGV how and where to tell it (`PUBLISH CHANNEL`), attempt, life in
-- milliseconds, number of the last line that is dropped now, the line that says so
-- reply: as of output_append
local publish, channel = string.match(ARGV[1], '^(%u+) (.+)$')
local state = redis.call('HMGET', KEYS[2], 'attempt', 'seq', 'last', 'lines', 'bytes', 'cut', 'ended', 'status')
local held, seq, last = tonumber(state[1] or -1), tonumber(state[2] or 0), tonumber(state[3] or 0)
local lines, bytes, cut = tonumber(state[4] or 0), tonumber(state[5] or 0), state[6]
local attempt, through = tonumber(ARGV[2]), tonumber(ARGV[4])
if state[7] then
  return {'ended', seq, bytes, lines}
end
if held > attempt or (held == attempt and state[8] == 'queued') then
  return {'superseded', seq, bytes, lines}
end
if held == attempt and through <= seq then
  return {'ok', seq, bytes, lines}
end
local before = held < 0 and '0-0' or string.format('%.0f-%.0f', held, last)
local newest = before
if held < attempt then
  seq, last = 0, 0
  newest = ARGV[2] .. '-0'
  redis.call('XADD', KEYS[1], newest, 's', 'running')
end
if not cut then
  last = seq + 1
  newest = string.format('%s-%.0f', ARGV[2], last)
  redis.call('XADD', KEYS[1], newest, 'e', ARGV[5])
end
redis.call('HSET', KEYS[2], 'attempt', ARGV[2], 'seq', string.format('%.0f', through), 'last',
  string.format('%.0f', last), 'lines', lines, 'bytes', bytes, 'cut', '1', 'status', 'running')
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
if newest ~= before then
  redis.call(publish, channel, before .. ' ' .. newest)
end
return {'ok', through, bytes, lines}
