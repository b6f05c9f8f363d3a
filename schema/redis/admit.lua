-- For each caller one decision: is its record still the truth, and is a slot of its window free?
--
-- Callers that ask in the same moment share a call, because starting a script and asking for the time costs as much as
-- the decision. Each decision is taken for itself, behind those before it.
--
-- KEYS    two a caller: log of admitted requests (microsecond stamps, newest first);
--         the subject's epoch (not read in mode none; same hash tag as the log)
-- ARGV    five a caller: mode none|cached|fresh|forced, epoch, limit (0: check only), window in microseconds,
--         life of a raised epoch in milliseconds
-- reply   one a caller: {verdict, epoch, now, remaining, reset, retry}; {STALE, stored} wrote nothing
--
-- Positions are strings: Redis prints a number argument with %.17g, a fifth of a microsecond each time.
local time = redis.call('TIME')
local moment = time[1] * 1000000 + time[2]

local function decide(log, epoch_key, mode, epoch, limit, window, epoch_life)
  if mode ~= 'none' then
    local stored = redis.call('GET', epoch_key)
    if mode == 'cached' then
      -- A cached record never creates the key: after a flush it would revive what was revoked.
      if stored ~= epoch then
        return {'STALE', stored or ''}
      end
    elseif not stored or tonumber(stored) < tonumber(epoch) then
      redis.call('SET', epoch_key, epoch, 'PX', epoch_life)
    elseif stored ~= epoch then
      if mode == 'fresh' then
        return {'STALE', stored}
      end
      epoch = stored
    end
  end

  local now = moment
  if limit == 0 then
    return {'OK', epoch, now, 0, now, 0}
  end

  local count = redis.call('LLEN', log)
  local oldest, newest = now, now
  -- What was pushed a second later, or by a clock a second behind, has left before the log is dropped.
  local life = math.ceil(window / 1000) + 2000

  if count > 0 then
    newest = tonumber(redis.call('LINDEX', log, '0'))
    if newest > now + 1000000 then
      -- Redis failed over to a slower clock: stamps from the future count as of now. The first that is not is
      -- found by halving and the others are written in blocks: one LSET each would stall Redis (100 000 stamps:
      -- 440 ms, this way 10 ms). In between the list may be empty, which drops its life.
      local ahead, past = 0, count
      while past - ahead > 1 do
        local middle = math.floor((ahead + past) / 2)
        if tonumber(redis.call('LINDEX', log, middle)) > now then
          ahead = middle
        else
          past = middle
        end
      end
      redis.call('LTRIM', log, past, -1)
      local stamp, block = string.format('%.0f', now), {}
      for i = 1, math.min(past, 1000) do
        block[i] = stamp
      end
      for left = past, 1, -1000 do
        redis.call('LPUSH', log, unpack(block, 1, math.min(left, 1000)))
      end
      redis.call('PEXPIRE', log, life)
      newest = now
    elseif newest > now then
      now = newest
    end

    local expired = now - window
    oldest = tonumber(redis.call('LINDEX', log, '-1'))
    local popped = 0
    while oldest and oldest <= expired and popped < 4 do
      redis.call('RPOP', log)
      count = count - 1
      popped = popped + 1
      oldest = tonumber(redis.call('LINDEX', log, '-1'))
    end
    if oldest and oldest <= expired then
      -- Many left at once: popping them singly would stall Redis. Find the first that stays.
      local live, dead = -1, count - 1
      while dead - live > 1 do
        local middle = math.floor((live + dead) / 2)
        if tonumber(redis.call('LINDEX', log, middle)) <= expired then
          dead = middle
        else
          live = middle
        end
      end
      count = live + 1
      if count == 0 then
        redis.call('DEL', log)
        oldest = nil
      else
        redis.call('LTRIM', log, 0, live)
        oldest = tonumber(redis.call('LINDEX', log, '-1'))
      end
    end
    oldest = oldest or now
  end

  if count < limit then
    redis.call('LPUSH', log, string.format('%.0f', now))
    -- Once a second is enough (the life has two to spare): a call less, and one replicated command, not four.
    if count == 0 or newest < now - now % 1000000 then
      redis.call('PEXPIRE', log, life)
    end
    return {'OK', epoch, now, limit - count - 1, oldest + window, 0}
  end

  -- The slot that must fall free first; after the limit was lowered below what is counted it is not the oldest.
  local first = oldest
  if count > limit then
    first = tonumber(redis.call('LINDEX', log, limit - 1))
  end
  return {'DENIED', epoch, now, 0, oldest + window, first + window}
end

local replies = {}
for i = 1, #KEYS / 2 do
  local key, argument = 2 * i - 1, 5 * i - 4
  replies[i] = decide(KEYS[key], KEYS[key + 1], ARGV[argument], ARGV[argument + 1], tonumber(ARGV[argument + 2]),
                      tonumber(ARGV[argument + 3]), ARGV[argument + 4])
end
return replies
