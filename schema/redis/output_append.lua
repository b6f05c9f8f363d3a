-- Adds lines to a run's output and tells who watches it. A sequence number that is held already is passed over, so
-- a batch may be sent again; an attempt that was queued again or followed by another, or an ended run, takes nothing
-- more.
-- KEYS[1] the stream; KEYS[2] its state; ARGV how and where to tell it (`PUBLISH CHANNEL`), attempt, life in
-- milliseconds, most lines, most bytes, the line that says that a limit is reached, then of each line: sequence
-- number, kind, text
-- reply: {verdict, highest sequence number of this attempt that is held, bytes of text that are held, lines}
local publish, channel = string.match(ARGV[1], '^(%u+) (.+)$')
local state = redis.call('HMGET', KEYS[2], 'attempt', 'seq', 'last', 'lines', 'bytes', 'cut', 'ended',
  'status')
local held, seq, last = tonumber(state[1] or -1), tonumber(state[2] or 0), tonumber(state[3] or 0)
local lines, bytes, cut = tonumber(state[4] or 0), tonumber(state[5] or 0), state[6]
local attempt = tonumber(ARGV[2])
if not state[1] then
  -- The state alone was evicted: ids go on behind what stands.
  local top = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
  if top then
    local a, s = string.match(top[1], '^(%d+)-(%d+)$')
    held, seq, last = tonumber(a), tonumber(s), tonumber(s)
  end
end
if state[7] then
  return {'ended', seq, bytes, lines}
end
-- Behind `queued` its numbers are the status's, so that a late line would be taken for one that is held.
if held > attempt or (held == attempt and state[8] == 'queued') then
  return {'superseded', seq, bytes, lines}
end
local before = held < 0 and '0-0' or string.format('%.0f-%.0f', held, last)
local newest = before
local function add(number, kind, text)
  newest = ARGV[2] .. '-' .. number
  redis.call('XADD', KEYS[1], newest, kind, text)
  last = tonumber(number)
end
if held < attempt then
  seq, last = 0, 0
  add('0', 's', 'running')
  redis.call('HSET', KEYS[2], 'status', 'running')
end
for i = 7, #ARGV, 3 do
  local number = tonumber(ARGV[i])
  if number > seq then
    seq = number
    if not cut then
      local size = #ARGV[i + 2]
      if lines + 1 > tonumber(ARGV[4]) or bytes + size > tonumber(ARGV[5]) then
        cut = '1'
        add(ARGV[i], 'e', ARGV[6])
      else
        lines, bytes = lines + 1, bytes + size
        add(ARGV[i], ARGV[i + 1], ARGV[i + 2])
      end
    end
  end
end
redis.call('HSET', KEYS[2], 'attempt', ARGV[2], 'seq', string.format('%.0f', seq), 'last', string.format('%.0f', last),
  'lines', lines, 'bytes', bytes)
if cut then
  redis.call('HSET', KEYS[2], 'cut', '1')
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
if newest ~= before then
  redis.call(publish, channel, before .. ' ' .. newest)
end
return {'ok', seq, bytes, lines}
