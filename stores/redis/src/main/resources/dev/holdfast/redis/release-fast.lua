-- Release, the common case. Invariant: only the holder with this epoch and owner, before its lease is over, gives the
-- name back; the last epoch stays. The answer is 1.
local fetched = redis.call('GET', KEYS[1])
if #KEYS == 1 and fetched and string.sub(fetched, 19, 42) == ARGV[1] then
  local format, flags = string.byte(fetched, 1, 2)
  if format == 49 and flags == 48 then
    local ends, expiry, epoch = struct.unpack('>I8I8I8', fetched, 3)
    local left = redis.call('PTTL', KEYS[1])
    if expiry > ends - left and left > 0 then
      redis.call('SET', KEYS[1], struct.pack('>BBI8I8I8', 49, 48, ends, 0, epoch), 'KEEPTTL')
      return 1
    end
  end
end
