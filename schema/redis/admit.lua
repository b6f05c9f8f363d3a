-- For each caller one decision: is its record still the truth, and is a slot of its window free?
--
-- Callers that ask in the same moment share a call, because starting a script and asking for the time costs as much as
-- the decision. Each decision is taken for itself, behind those before it; what was read for one of them serves all,
-- because nobody else writes in between.
--
-- A caller that counts in two windows takes two places, the second in mode also: it counts in both, or in neither.
--
-- KEYS    two a place: log of admitted requests (microsecond stamps, newest first);
--         the subject's epoch (not read in mode none; same hash tag as the log)
-- ARGV    five a place: mode none|cached|fresh|forced|also, epoch, limit (0: check only), window in microseconds,
--         life of a raised epoch in milliseconds
-- reply   one a caller: {verdict, epoch, now, remaining, reset, retry}, with the last four of its second window behind
--         them unless that one admits and has more room; retry is 0 where a slot was free; {STALE, stored} wrote nothing
--
-- window_head.lua goes before this text, and has `leading`.
--
-- Positions are strings: Redis prints a number argument with %.17g, a fifth of a microsecond each time.
local format = string.format
local time = redis.call('TIME')
local moment = time[1] * 1000000 + time[2]
local moment_stamp = format('%.0f', moment)

local epochs = {}  -- by key: what is stored, false where nothing is
local windows = {} -- by log: what is known of it, and how many this call has admitted

-- The epoch that holds for the caller; or nil, and the stored one, when the caller's record is stale.
local function check_epoch(key, mode, epoch, life)
  local stored = epochs[key]
  if stored == nil then
    stored = redis.call('GET', key)
    epochs[key] = stored
  end
  if stored == epoch then
    return epoch
  elseif mode == 'cached' then
    -- A cached record never creates the key: after a flush it would revive what was revoked.
    return nil, stored or ''
  elseif not stored or tonumber(stored) < tonumber(epoch) then
    redis.call('SET', key, epoch, 'PX', life)
    epochs[key] = epoch
    if stored then
      -- Read from PostgreSQL before its own raise came, which now has nothing to tell (raise.lua).
      redis.pcall('PUBLISH', 'svc:raised', key .. ' ' .. epoch)
    end
    return epoch
  elseif mode == 'fresh' then
    return nil, stored
  end
  return stored
end

-- Redis failed over to a slower clock: stamps from the future count as of now. They are written in blocks: one LSET
-- each would stall Redis (100 000 stamps: 440 ms, this way 10 ms). In between the list may be empty, which drops its
-- life.
local function bring_back(log, count, life)
  local future = leading(log, count, moment)
  redis.call('LTRIM', log, future, -1)
  local block = {}
  for i = 1, math.min(future, 1000) do
    block[i] = moment_stamp
  end
  for left = future, 1, -1000 do
    redis.call('LPUSH', log, unpack(block, 1, math.min(left, 1000)))
  end
  redis.call('PEXPIRE', log, life)
end

-- Drops what has left the window. Returns how many stay, and the oldest of them, or nothing.
local function drop_expired(log, count, expired)
  local oldest = tonumber(redis.call('LINDEX', log, '-1'))
  local popped = 0
  while oldest and oldest <= expired and popped < 4 do
    redis.call('RPOP', log)
    popped = popped + 1
    oldest = tonumber(redis.call('LINDEX', log, '-1'))
  end
  count = count - popped
  if not oldest or oldest > expired then
    return count, oldest
  end
  -- Many left at once: popping them singly would stall Redis.
  if tonumber(redis.call('LINDEX', log, '0')) <= expired then
    redis.call('DEL', log)
    return 0, nil
  end
  count = leading(log, count, expired)
  redis.call('LTRIM', log, 0, count - 1)
  return count, tonumber(redis.call('LINDEX', log, '-1'))
end

local function open_window(log, window)
  local known = windows[log]
  if known then
    return known
  end
  -- What was pushed a second later, or by a clock a second behind, has left before the log is dropped.
  local life = math.ceil(window / 1000) + 2000
  local now, newest = moment, moment
  local count = redis.call('LLEN', log)
  if count > 0 then
    newest = tonumber(redis.call('LINDEX', log, '0'))
    if newest > moment + 1000000 then
      bring_back(log, count, life)
      newest = moment
    elseif newest > moment then
      now = newest
    end
  end
  -- Once a second is enough for the life (it has two to spare): a call less, and one replicated command, not four.
  known = {now = now, count = count, oldest = now, exact = count == 0, admitted = 0, life = life,
           prolong = count == 0 or newest < now - now % 1000000}
  windows[log] = known
  return known
end

-- Until a log is made exact, its count may include stamps that have left the window.
local function make_exact(log, known, window)
  if known.exact then
    return
  end
  local count, oldest = drop_expired(log, known.count - known.admitted, known.now - window)
  known.count, known.oldest, known.exact = count + known.admitted, oldest or known.now, true
  known.prolong = known.prolong or count == 0
end

-- 0 where a slot is free; else when the one falls free that must: after the limit was lowered below what is counted it
-- is not the oldest.
local function next_slot(log, known, limit, window)
  if known.count < limit then
    return 0
  end
  local first = known.oldest
  if limit <= known.admitted then
    first = known.now
  elseif known.count > limit then
    first = tonumber(redis.call('LINDEX', log, limit - 1 - known.admitted))
  end
  return first + window
end

local function take_slot(known)
  known.count = known.count + 1
  known.admitted = known.admitted + 1
end

-- A second window with more room than the first one, even if nothing had left it, admits and is not shown. Its stamps
-- are not read then (a third of the script's time for a trigger), and expired ones stay until the room is less: at most
-- as many as its limit.
local function open_second(second, room)
  local known = open_window(second.log, second.window)
  local least = second.limit - known.count
  if least > 0 and least > room then
    return known, true
  end
  make_exact(second.log, known, second.window)
  return known, false
end

local function decide(log, epoch_key, mode, epoch, limit, window, epoch_life, second)
  if mode ~= 'none' then
    local holds, stored = check_epoch(epoch_key, mode, epoch, epoch_life)
    if not holds then
      return {'STALE', stored}
    end
    epoch = holds
  end
  if limit == 0 then
    return {'OK', epoch, moment, 0, moment, 0}
  end

  local known = open_window(log, window)
  make_exact(log, known, window)
  local retry = next_slot(log, known, limit, window)
  local other, other_retry = nil, 0
  if second then
    local far
    other, far = open_second(second, limit - known.count)
    if far then
      second = nil
    else
      other_retry = next_slot(second.log, other, second.limit, second.window)
    end
  end
  local admitted = retry == 0 and other_retry == 0
  if admitted then
    take_slot(known)
    if other then
      take_slot(other)
    end
  end
  local reply = {admitted and 'OK' or 'DENIED', epoch, known.now, math.max(0, limit - known.count),
                 known.oldest + window, retry}
  if second then
    reply[7], reply[8] = other.now, math.max(0, second.limit - other.count)
    reply[9], reply[10] = other.oldest + second.window, other_retry
  end
  return reply
end

-- One command for all that were admitted to a log.
local function write_admitted(log, known)
  local stamp = known.now == moment and moment_stamp or format('%.0f', known.now)
  if known.admitted == 1 then
    redis.call('LPUSH', log, stamp)
  else
    local stamps = {}
    for i = 1, known.admitted do
      stamps[i] = stamp
    end
    redis.call('LPUSH', log, unpack(stamps))
  end
  if known.prolong then
    redis.call('PEXPIRE', log, known.life)
  end
end

local replies = {}
local place, places = 1, #KEYS / 2
while place <= places do
  local key, argument = 2 * place - 1, 5 * place - 4
  local second
  if ARGV[argument + 5] == 'also' then
    second = {log = KEYS[key + 2], limit = tonumber(ARGV[argument + 7]), window = tonumber(ARGV[argument + 8])}
  end
  replies[#replies + 1] = decide(KEYS[key], KEYS[key + 1], ARGV[argument], ARGV[argument + 1],
                                 tonumber(ARGV[argument + 2]), tonumber(ARGV[argument + 3]), ARGV[argument + 4], second)
  place = place + (second and 2 or 1)
end
for log, known in pairs(windows) do
  if known.admitted > 0 then
    write_admitted(log, known)
  end
end
return replies
