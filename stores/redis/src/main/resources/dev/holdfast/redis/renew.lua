-- Renew. Invariant: a lease is extended only while epoch and owner match and it is not over; none is ever created.
-- KEYS: heads, any number. ARGV: epoch, owner and lease per key, the stamp. Answers: the time, then per key 0 lost,
-- 1 renewed, 2 renewed and wanted, 3 evicted.
local KEPT, KEPT_AT_LEAST = @KEPT@, @KEPT_AT_LEAST@
local answers, stamp = { 0 }, ARGV[#KEYS + 1]
for i = 1, #KEYS do
  local key, answer = KEYS[i], 0
  local head = redis.call('GET', key)
  local left = head and string.sub(head, @HEAD_FORMAT@, @HEAD_FORMAT@) == '1' and redis.call('PTTL', key) or 0
  local owner = string.sub(ARGV[i], @GRANT_OWNER@, @GRANT_OWNER_END@)
  local lease = struct.unpack('>I4', ARGV[i], @GRANT_LEASE@)
  if left > 0 then
    local flags = string.byte(head, @HEAD_FLAGS@) - 48
    local ends = struct.unpack('>I8', head, @HEAD_ENDS@)
    local now = ends - left
    local expiry, record
    if flags >= 4 then
      record = redis.call('HGET', key .. ':h', owner)
      if not record and stamp and string.byte(stamp, @STAMP_ARRIVING@) == 49 and redis.call('EXISTS', key .. ':h') == 0 then
        return redis.error_reply('TRYAGAIN the keys of this lock are on the move')
      end
      if record
        and string.sub(record, @EPOCH@, @EPOCH_END@) == string.sub(ARGV[i], @GRANT_EPOCH@, @GRANT_EPOCH_END@) then
        expiry = struct.unpack('>I8', record)
      end
    elseif #head > @SUMMARY_USED_END@
      and string.sub(head, @HEAD_EPOCH@, @HEAD_OWNER_END@) == string.sub(ARGV[i], @GRANT_EPOCH@, @GRANT_OWNER_END@) then
      expiry = struct.unpack('>I8', head, @HEAD_EXPIRY@)
    end
    if expiry and expiry > now then
      answer = flags % 2 == 1 and 2 or 1
      local until_then = struct.pack('>I8', now + lease + 1)
      if flags >= 4 then
        redis.call('HSET', key .. ':h', owner, until_then .. string.sub(record, @EPOCH@))
        redis.call('PEXPIRE', key .. ':h', KEPT)
      else
        head = string.sub(head, 1, @HEAD_ENDS_END@) .. until_then .. string.sub(head, @HEAD_EPOCH@)
      end
      if left < KEPT_AT_LEAST then
        head = string.sub(head, 1, @HEAD_FLAGS_END@) .. struct.pack('>I8', now + KEPT)
          .. string.sub(head, @HEAD_EXPIRY@)
        redis.call('SET', key, head, 'PX', KEPT)
        if flags % 4 >= 2 then
          redis.pcall('PEXPIRE', key .. ':t', KEPT)
        end
      elseif flags < 4 then
        redis.call('SET', key, head, 'KEEPTTL')
      end
    end
    answers[1] = now
  end
  -- Where the slot is leaving, the server refuses to look for a key that is not there.
  if answer == 0 and redis.pcall('HEXISTS', key .. ':e', owner) == 1 then
    answer = 3
  end
  answers[i + 1] = answer
end
if stamp and #stamp > @STAMP_ARRIVING@ and answers[1] > 0 then
  -- A moved name's own clock does not do for relating messages of this server to answers.
  local time = redis.call('TIME')
  answers[1] = time[1] * 1000 + math.floor(time[2] / 1000)
end
return answers
