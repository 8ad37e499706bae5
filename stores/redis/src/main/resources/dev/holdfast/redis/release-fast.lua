-- Release, the common cases of one name. Invariants: only the holder with this epoch and owner, before its lease is over,
-- gives the name back; the last epoch stays; where there is a line, the first in it gets the name, if that is a waiter
-- that lives, can be told, and wants all of this name and no other. The answer is 1.
local fetched, stamp = redis.call('GET', KEYS[1]), ARGV[#KEYS + 1]
if #KEYS == 1 and fetched and string.sub(fetched, @HEAD_EPOCH@, @HEAD_OWNER_END@) == ARGV[1] then
  local format, flags = string.byte(fetched, @HEAD_FORMAT@, @HEAD_FLAGS@)
  if format == 49 and flags <= 49 then
    local ends, expiry, epoch = struct.unpack('>I8I8I8', fetched, @HEAD_ENDS@)
    local left = redis.call('PTTL', KEYS[1])
    local now = ends - left
    if expiry > now and left > 0 and flags == 48 then
      redis.call('SET', KEYS[1], struct.pack('>BBI8I8I8', 49, 48, ends, 0, epoch), 'KEEPTTL')
      return 1
    end
    local sub, first, second, record = string.sub, nil, nil, nil
    if expiry > now and left > @KEPT_AT_LEAST@ and epoch < @LAST_EPOCH@ then
      first, second = unpack(redis.call('ZRANGE', KEYS[1] .. ':q', 0, 1))
      record = first and redis.call('HGET', KEYS[1] .. ':w', first)
    end
    if record and struct.unpack('>I8', record) > now + @ABSENT@
      and sub(record, @KIND@, @CAPACITY_END@) == sub(fetched, @HEAD_KIND@, @HEAD_CAPACITY_END@)
      and sub(record, @CAPACITY@, @CAPACITY_END@) == sub(record, @UNITS@, @UNITS_END@)
      and not string.find(record, '\n[^\n]*\n[^\n]*\n', @TEXT@) then
      local channel, place = string.match(record, '^[^\n]*', @TEXT@), stamp and sub(stamp, @STAMP_PLACE@) or ''
      local told, micros, longest, reachable = now, (now - @ORIGIN@) * 1000, @PROVISIONAL@, nil
      if place == '' then
        reachable = redis.call('PUBSUB', 'NUMSUB', channel)[2] ~= 0
      else
        local time = redis.call('TIME')
        told, longest = time[1] * 1000 + math.floor(time[2] / 1000), @CLUSTER_PROVISIONAL@
        micros = (time[1] * 1000 - @ORIGIN@) * 1000 + time[2]
        reachable = true
      end
      if reachable then
        local lease, granted = math.min(struct.unpack('>I4', record, @LEASE@), longest), micros
        if stamp then
          granted = granted + struct.unpack('>I8', stamp)
        end
        if granted <= epoch then
          granted = epoch + 1
        end
        redis.call('ZREM', KEYS[1] .. ':q', first)
        if second then
          redis.call('HDEL', KEYS[1] .. ':w', first)
        else
          redis.call('DEL', KEYS[1] .. ':w')
        end
        redis.call('SET', KEYS[1], struct.pack('>BBI8I8I8c0', 49, second and 49 or 48, ends, now + lease + 1, granted,
          first .. sub(record, @MODE@)), 'KEEPTTL')
        redis.call('PUBLISH', channel, 'G' .. first .. struct.pack('>I8I4B', told, lease, #place) .. place
          .. struct.pack('>I8', granted) .. (second and '1' or '0'))
        return 1
      end
    end
  end
end
