-- What the scripts of a Redlock node share: the state of one name on this node alone, which knows nothing of the others.
-- Invariant: the counter of a name never goes back; while it is not remembered, the node's floor stands for it.
--
-- KEYS[1] is the name's key, a string (NODE in RecordField.java). Beside it, KEYS[1]:w is who waits by arrival, :r and
-- :r:owner are the readers (redlock-readers.lua), :e is the last eviction, :t:owner the attempts of an owner that must not
-- take effect any more, :t whether there are any. KEYS[2] is the node's own key: format, floor (the largest counter it ever
-- gave), maxLease. Without it the node has lost its memory and does not vote.
-- All times are milliseconds of this node's clock, which nobody else reads. It is also the time at which a key ends less
-- what is left until then, for the price of a cheaper command.
local KEPT, WAITS, EVICTIONS_KEPT = @KEPT@, '60000', '86400000'
local ORIGIN, LAST_EPOCH = @ORIGIN@, @LAST_EPOCH@
local MOST_WOKEN = 16
local FREE = @NODE_ENDS_END@
local call, sub, pack, unpack = redis.call, string.sub, struct.pack, struct.unpack

local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- The expiry of a value that is held, 0 otherwise.
local function held_until(value)
  if value and #value > FREE then
    local expiry = unpack('>I8', value, @NODE_EXPIRY@)
    return expiry > now and expiry or 0
  end
  return 0
end

local function flags_of(value)
  return value and string.byte(value, @NODE_FLAGS@) - 48 or 0
end

local function owner_of(value)
  return sub(value, @NODE_OWNER@, @NODE_OWNER_END@)
end

-- Writes a name, which is kept for three days from now: flags, eight bytes of its counter, and what is held.
local function write(key, flags, counter, held)
  local ends = now + KEPT
  call('SET', key, '1' .. flags .. counter .. pack('>I8', ends) .. held, 'PXAT', string.format('%.0f', ends))
end

-- Ends what is held and tells those who wait, in order; each is told its place, so that they do not all come at once. They
-- are also told the number of what has ended: after the last reader that is the counter, because which one is the last may
-- differ from node to node.
local function free(key, value, wakes)
  local flags, counter = flags_of(value) % 4, sub(value, @NODE_COUNTER@, @NODE_COUNTER_END@)
  local ended = #value > FREE and sub(value, @NODE_ANSWERED@, @NODE_ANSWERED_END@) or counter
  if flags % 2 == 1 and wakes then
    local waiting = call('ZPOPMIN', key .. ':w', MOST_WOKEN)
    for i = 1, #waiting, 2 do
      call('PUBLISH', waiting[i], 'F' .. ended .. pack('>I4', (i - 1) / 2) .. key)
    end
    flags = flags - 1 + call('EXISTS', key .. ':w')
  end
  write(key, flags, counter, '')
end

local function raise_floor(node, floor, counter)
  if counter > floor then
    call('HSET', node, 'floor', string.format('%.0f', counter))
  end
end
