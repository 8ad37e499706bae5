-- Release, the common case: one name for which nobody waits. Invariant: only what is held with this epoch and owner, and
-- has not expired, is given back; the counter stays. The answer is 0, or those of the common script. 12592 is '10', 12594 is
-- '12': nobody waits, and there are tombstones or not.
local value = redis.call('GET', KEYS[1])
if #KEYS == 1 and value and string.sub(value, @NODE_ANSWERED@, @NODE_OWNER_END@) == ARGV[1] then
  local flags, _, ends, expiry = struct.unpack('>I2I8I8I8', value)
  local left = redis.call('PTTL', KEYS[1])
  if (flags == 12592 or flags == 12594) and left > @KEPT_AT_LEAST@ and expiry > ends - left then
    redis.call('SET', KEYS[1], string.sub(value, 1, @NODE_ENDS_END@), 'KEEPTTL')
    return 0
  end
end
