-- Acquire, the common case, without the weight of what follows: nobody has the name, nobody waits for it, its owner has no
-- tombstone, and the hint is larger than its counter. Invariant: whatever is answered and written here is what the common
-- script would have answered and written; that decides whenever anything is not as usual. The answer is the counter alone
-- (the hint, for the whole lease, and it is the floor now), or that of the common script.
local value = redis.call('GET', KEYS[1])
if not value or #value == @NODE_ENDS_END@ then
  local node = redis.call('HMGET', KEYS[2], 'format', 'floor', 'maxLease')
  local lease, _, hint = struct.unpack('>I4I8I8', ARGV[1])
  if node[1] == '1' and node[2] and lease <= tonumber(node[3]) then
    local floor = tonumber(node[2])
    local flags, counter, ends, left, now, unburied = 12592, floor, nil, nil, nil, false
    if value then
      flags, counter, ends = struct.unpack('>I2I8I8', value)
      left = redis.call('PTTL', KEYS[1])
      now = ends - left
    else
      local time = redis.call('TIME')
      left = @KEPT@
      now = time[1] * 1000 + math.floor(time[2] / 1000)
      ends = now + left
    end
    -- 12592 is '10', 12594 is '12': there are tombstones, or were.
    if flags == 12594 and not redis.call('GET', KEYS[1] .. ':t:' .. string.sub(ARGV[1], @ASKED_OWNER@, @ASKED_OWNER_END@)) then
      flags = 12592 + 2 * redis.call('EXISTS', KEYS[1] .. ':t')
      unburied = true
    end
    -- A key that is to be kept for longer, a clock that is too far behind, the last epoch: all that is rare.
    if (flags == 12592 or unburied) and left > @KEPT_AT_LEAST@ and hint > counter
      and hint <= (now - @ORIGIN@ + @MOST_AHEAD@) * 1000 and hint <= @LAST_EPOCH@ then
      local held = struct.pack('>I2I8I8I8I8c0', flags, hint, ends, now + lease + 1, now, string.sub(ARGV[1], @ASKED_ATTEMPT@))
      if value then
        redis.call('SET', KEYS[1], held, 'KEEPTTL')
      else
        redis.call('SET', KEYS[1], held, 'PXAT', string.format('%.0f', ends))
      end
      if hint <= floor then
        return { 1, hint, lease, floor }
      end
      redis.call('HSET', KEYS[2], 'floor', ARGV[3])
      return hint
    end
  end
end
