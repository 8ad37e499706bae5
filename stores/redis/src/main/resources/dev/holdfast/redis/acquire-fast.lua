-- Acquire, the common cases of one name, without the prologue's weight. Invariants: a name whose lease is over, with no
-- line and no tombstones, goes to whoever asks for it, with a larger epoch than any before; whoever wants all of a name
-- that one holder has all of stands at the end of its line, and the holder is told. The answer is the epoch alone (the
-- whole lease, and nobody waits), or that of the common script, which also has everything about a slot on the move.
-- Which clock an epoch counts by is told in prologue.lua.
local fetched, stamp = redis.call('GET', KEYS[1]), ARGV[#KEYS + 1]
if #KEYS == 1 and not (stamp and string.byte(stamp, @STAMP_ARRIVING@) == 49) then
  local step = stamp and struct.unpack('>I8', stamp) or 0
  if not fetched then
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local ends, epoch = now + @KEPT@, (time[1] * 1000 - @ORIGIN@) * 1000 + time[2] + step
    local expiry = now + struct.unpack('>I4', ARGV[1], @LEASE@) + 1
    redis.call('SET', KEYS[1], struct.pack('>BBI8I8I8c0', 49, 48, ends, expiry, epoch, ARGV[1]),
      'PXAT', string.format('%.0f', ends))
    return epoch
  end
  local format, flags = string.byte(fetched, @HEAD_FORMAT@, @HEAD_FLAGS@)
  if format == 49 and flags <= 49 then
    local ends, expiry, last = struct.unpack('>I8I8I8', fetched, @HEAD_ENDS@)
    local left = redis.call('PTTL', KEYS[1])
    local now = ends - left
    local usual = left > @KEPT_AT_LEAST@ and last < @LAST_EPOCH@
    if usual and expiry <= now and flags == 48 then
      local epoch = (now - @ORIGIN@) * 1000 + step
      if stamp and #stamp > @STAMP_ARRIVING@ then
        local time = redis.call('TIME')
        epoch = (time[1] * 1000 - @ORIGIN@) * 1000 + time[2] + step
      end
      if epoch <= last then
        epoch = last + 1
      end
      expiry = now + struct.unpack('>I4', ARGV[1], @LEASE@) + 1
      redis.call('SET', KEYS[1], struct.pack('>BBI8I8I8c0', 49, 48, ends, expiry, epoch, ARGV[1]), 'KEEPTTL')
      return epoch
    end
    local sub, mode = string.sub, string.byte(ARGV[1], @MODE@)
    if usual and expiry > now and #fetched > @SUMMARY_USED_END@ and mode <= 49
      and sub(fetched, @HEAD_KIND@, @HEAD_CAPACITY_END@) == sub(ARGV[1], @KIND@, @CAPACITY_END@)
      and sub(fetched, @HEAD_CAPACITY@, @HEAD_CAPACITY_END@) == sub(fetched, @HEAD_UNITS@, @HEAD_UNITS_END@)
      and sub(ARGV[1], @CAPACITY@, @CAPACITY_END@) == sub(ARGV[1], @UNITS@, @UNITS_END@)
      and sub(fetched, @HEAD_OWNER@, @HEAD_OWNER_END@) ~= sub(ARGV[1], @OWNER@, @OWNER_END@) then
      local cluster = stamp and #stamp > @STAMP_ARRIVING@
      local hint, told = math.min(expiry - now, cluster and @CLUSTER_HINT@ or @LONGEST_HINT@), now
      if cluster then
        local time = redis.call('TIME')
        told = time[1] * 1000 + math.floor(time[2] / 1000)
      end
      if mode == 48 then
        return { 0, told, hint }
      end
      local line, waiters, owner = KEYS[1] .. ':q', KEYS[1] .. ':w', sub(ARGV[1], @OWNER@, @OWNER_END@)
      if flags == 48 then
        local deleted = redis.pcall('DEL', line, waiters)
        if type(deleted) == 'table' then
          -- A line cannot begin where the slot is leaving; the name is taken all the same.
          return cluster and { 0, told, math.min(hint, @IDLE_HINT@) } or deleted
        end
      end
      -- Every fourth that joins a long line takes the common script, which looks for dead waiters.
      if flags == 48 or not (now % 4 == 0 and redis.call('HLEN', waiters) > @LONG_LINE@) and not redis.call('ZSCORE', line, owner)
      then
        local turn = (now - @ORIGIN@) * 1000
        local before = tonumber(flags == 49 and redis.call('ZREVRANGE', line, 0, 0, 'WITHSCORES')[2] or nil)
        if before and before >= turn then
          turn = before + 1
        end
        redis.call('ZADD', line, string.format('%.0f', turn), owner)
        redis.call('HSET', waiters, owner, struct.pack('>I8I8', now + @PATIENCE@, now) .. sub(ARGV[1], @MODE@))
        redis.call('PEXPIRE', line, @KEPT@)
        redis.call('PEXPIRE', waiters, @KEPT@)
        if flags == 48 then
          redis.call('SET', KEYS[1], '11' .. sub(fetched, @HEAD_ENDS@), 'KEEPTTL')
        end
        local heard = redis.call('PUBLISH', string.match(fetched, '^[^\n]*', @HEAD_TEXT@),
          'W' .. struct.pack('>I8', last) .. KEYS[1])
        if flags == 48 then
          hint = math.min(hint, heard == 0 and not cluster and @DEAF_HINT@ or @FIRST_HINT@)
        end
        return { 0, told, hint }
      end
    end
  end
end
