-- The readers of a name on this node. Invariant: while there is one whose lease is not over, flag 4 of the name is set and
-- nobody holds it alone. KEYS[1]:r has their owners by expiry, and KEYS[1]:r:owner, which ends with the lease, what is known
-- of one (READER in RecordField.java).
-- So many are let in at most, so that whoever ends or shows them all does not keep others waiting.
local MOST_READERS = 1000
-- To a writer all readers are one party, however many they are.
local READERS = 'readers'

-- The record of a reader whose lease is not over, or nil.
local function reader_of(key, value, owner)
  if flags_of(value) >= 4 then
    local reader = call('GET', key .. ':r:' .. owner)
    return reader and unpack('>I8', reader) > now and reader or nil
  end
  return nil
end

-- When the last of the readers ends, 0 if there are none; those whose lease is over are forgotten.
local function read_until(key)
  call('ZREMRANGEBYSCORE', key .. ':r', '-inf', now)
  local last = call('ZRANGE', key .. ':r', -1, -1, 'WITHSCORES')
  return last[2] and tonumber(last[2]) or 0
end

-- Lets a reader hold until an expiry; the rest of its record is what follows that.
local function read(key, owner, expiry, rest)
  local ends = string.format('%.0f', expiry)
  call('SET', key .. ':r:' .. owner, pack('>I8', expiry) .. rest, 'PXAT', ends)
  call('ZADD', key .. ':r', ends, owner)
  call('PEXPIREAT', key .. ':r', string.format('%.0f', read_until(key)))
end

-- Ends what a reader holds. The last one frees the name.
local function leave(key, value, owner, wakes)
  call('DEL', key .. ':r:' .. owner)
  call('ZREM', key .. ':r', owner)
  if read_until(key) == 0 then
    free(key, value, wakes)
  end
end
