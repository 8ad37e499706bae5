-- What the scripts of a Redlock node share: the state of one name on this node alone, which knows nothing of the others.
-- Invariant: the counter of a name never goes back; while it is not remembered, the node's floor stands for it.
--
-- KEYS[1] is the name's key, a string: format 1, flags 2 (1 somebody waits, 2 there are tombstones), counter 3-10, and
-- while it is held: expiry 11-18, the counter that was answered to the holder 19-26, the number of its attempt 27-34, since
-- 35-42, owner 43-58, then client and label in lines. Beside it, KEYS[1]:w is who waits by arrival, :e the last eviction,
-- :t:owner the attempts of an owner that must not take effect any more, :t whether there are any. KEYS[2] is the node's own
-- key: format, floor (the largest counter it ever gave), maxLease. Without it the node has lost its memory and does not
-- vote.
-- All times are milliseconds of this node's clock, which nobody else reads.
local KEPT, WAITS, EVICTIONS_KEPT = '259200000', '60000', '86400000'
local ORIGIN, LAST_EPOCH = 1735689600000, 2251799813685247
local MOST_WOKEN = 16
local call, sub, pack, unpack = redis.call, string.sub, struct.pack, struct.unpack

local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- The expiry of a value that is held, 0 otherwise.
local function held_until(value)
  if value and #value > 10 then
    local expiry = unpack('>I8', value, 11)
    return expiry > now and expiry or 0
  end
  return 0
end

local function flags_of(value)
  return value and string.byte(value, 2) - 48 or 0
end

-- Ends what is held and tells those who wait, in order; each is told its place, so that they do not all come at once.
local function free(key, value, wakes)
  local flags = flags_of(value)
  if flags % 2 == 1 and wakes then
    local waiting = call('ZPOPMIN', key .. ':w', MOST_WOKEN)
    for i = 1, #waiting, 2 do
      call('PUBLISH', waiting[i], 'F' .. sub(value, 19, 26) .. pack('>I4', (i - 1) / 2) .. key)
    end
    flags = flags - 1 + call('EXISTS', key .. ':w')
  end
  call('SET', key, '1' .. flags .. sub(value, 3, 10), 'PX', KEPT)
end

local function raise_floor(node, floor, counter)
  if counter > floor then
    call('HSET', node, 'floor', string.format('%.0f', counter))
  end
end
