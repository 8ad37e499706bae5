-- Acquire, the common case. Invariant: a name whose lease is over, with no line and no tombstones, goes to whoever asks
-- for it, with a larger epoch than any before. The answer is the epoch alone: the whole lease, and nobody waits.
local fetched = redis.call('GET', KEYS[1])
if #KEYS == 1 then
  if not fetched then
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local ends, epoch = now + 259200000, (now - 1735689600000) * 1000
    local expiry = now + struct.unpack('>I4', ARGV[1], 27) + 1
    redis.call('SET', KEYS[1], struct.pack('>BBI8I8I8c0', 49, 48, ends, expiry, epoch, ARGV[1]),
      'PXAT', string.format('%.0f', ends))
    return epoch
  end
  local format, flags = string.byte(fetched, 1, 2)
  if format == 49 and flags == 48 then
    local ends, expiry, last = struct.unpack('>I8I8I8', fetched, 3)
    local left = redis.call('PTTL', KEYS[1])
    local now = ends - left
    if expiry <= now and left > 172800000 and last < 2251799813685247 then
      local epoch = (now - 1735689600000) * 1000
      if epoch <= last then
        epoch = last + 1
      end
      expiry = now + struct.unpack('>I4', ARGV[1], 27) + 1
      redis.call('SET', KEYS[1], struct.pack('>BBI8I8I8c0', 49, 48, ends, expiry, epoch, ARGV[1]), 'KEEPTTL')
      return epoch
    end
  end
end
