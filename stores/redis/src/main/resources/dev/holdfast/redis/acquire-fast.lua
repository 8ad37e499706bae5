-- Acquire, the common case. Invariant: a name whose lease is over, with no line and no tombstones, goes to whoever asks
-- for it, with a larger epoch than any before. The answer is the epoch alone: the whole lease, and nobody waits.
local fetched
if #KEYS == 1 then
  fetched = redis.call('GET', KEYS[1])
  if not fetched then
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local epoch = (now - 1735689600000) * 1000
    local ends = now + 259200000
    redis.call('SET', KEYS[1],
      '10' .. struct.pack('>I8I8I8', ends, now + struct.unpack('>I4', ARGV[1], 27) + 1, epoch) .. ARGV[1],
      'PXAT', string.format('%.0f', ends))
    return epoch
  end
  if string.sub(fetched, 1, 2) == '10' then
    local ends, expiry, last = struct.unpack('>I8I8I8', fetched, 3)
    local left = redis.call('PTTL', KEYS[1])
    local now = ends - left
    if expiry <= now and left > 172800000 and last < 2251799813685247 then
      local epoch = (now - 1735689600000) * 1000
      if epoch <= last then
        epoch = last + 1
      end
      redis.call('SET', KEYS[1],
        '10' .. struct.pack('>I8I8I8', ends, now + struct.unpack('>I4', ARGV[1], 27) + 1, epoch) .. ARGV[1],
        'KEEPTTL')
      return epoch
    end
  end
else
  fetched = redis.call('GET', KEYS[1])
end
