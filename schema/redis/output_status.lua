#!lua flags=allow-oom
-- Adds a status behind an attempt's lines: the run is back in the queue, or it has ended. Once each. A few bytes a run,
-- so it is done in a full Redis too.
-- KEYS[1] the stream; KEYS[2] its state; ARGV how and where to tell it (`PUBLISH CHANNEL`), attempt, life in
-- milliseconds, kind ('s', or 'c' for the end), status, the executor's last sequence number (0: not known)
-- reply: {verdict, sequence number of the status}
local publish, channel = string.match(ARGV[1], '^(%u+) (.+)$')
local state = redis.call('HMGET', KEYS[2], 'attempt', 'last', 'cut', 'ended', 'status')
local held, last = tonumber(state[1] or -1), tonumber(state[2] or 0)
local attempt, told = tonumber(ARGV[2]), tonumber(ARGV[6])
if state[4] then
  return {'ended', last}
end
if held > attempt then
  return {'superseded', last}
end
if held == attempt and state[5] == ARGV[5] then
  return {'ok', last}
end
local before = held < 0 and '0-0' or string.format('%.0f-%.0f', held, last)
if held < attempt then
  last = 0
  -- The attempt was never begun here, because whoever was to begin it has died: nothing of it is missing. Without any
  -- state that would be a guess.
  if held >= 0 then
    redis.call('XADD', KEYS[1], ARGV[2] .. '-0', 's', 'running')
  end
end
-- What the executor has sent and Redis has lost shows as a gap, not as if it had never been.
if not state[3] and told > last then
  last = told
end
last = last + 1
local number = string.format('%.0f', last)
local id = ARGV[2] .. '-' .. number
redis.call('XADD', KEYS[1], id, ARGV[4], ARGV[5])
redis.call('HSET', KEYS[2], 'attempt', ARGV[2], 'seq', number, 'last', number, 'status', ARGV[5])
local news = before .. ' ' .. id
if ARGV[4] == 'c' then
  redis.call('HSET', KEYS[2], 'ended', '1')
  news = news .. ' !'
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call(publish, channel, news)
return {'ok', last}
