-- The head of admit.lua and peek.lua: what both know of a log of admitted requests.

-- How many at the head of a log of `count`, whose first stamp is `later` than the moment, are so, where they stand in
-- order: found by halving.
local function leading(log, count, later)
  local ahead, past = 0, count
  while past - ahead > 1 do
    local middle = math.floor((ahead + past) / 2)
    if tonumber(redis.call('LINDEX', log, middle)) > later then
      ahead = middle
    else
      past = middle
    end
  end
  return past
end
