-- Inspect. Invariant: nothing is written. Answer: {ago, kind, by, reason, holder...}, by being nil if nobody was evicted, and
-- a holder {left, epoch, age, owner, text}; or {-1, format} if the name cannot be read.
local value = call('GET', KEYS[1])
if value and sub(value, @NODE_FORMAT@, @NODE_FORMAT@) ~= '1' then
  return { -1, sub(value, @NODE_FORMAT@, @NODE_FORMAT@) }
end
local eviction = call('HMGET', KEYS[1] .. ':e', 'by', 'reason', 'at')
local answer = { eviction[3] and math.max(0, now - tonumber(eviction[3])) or 0, 'e', eviction[1], eviction[2] }
local expiry = held_until(value)
if expiry > 0 then
  answer[2] = sub(value, @NODE_KIND@, @NODE_KIND@)
  answer[5] = { expiry - now, unpack('>I8', value, @NODE_ANSWERED@), now - unpack('>I8', value, @NODE_SINCE@),
    owner_of(value), sub(value, @NODE_TEXT@) }
elseif flags_of(value) >= 4 then
  answer[2] = 'r'
  for _, owner in ipairs(call('ZRANGEBYSCORE', KEYS[1] .. ':r', '(' .. string.format('%.0f', now), '+inf')) do
    local reader = reader_of(KEYS[1], value, owner)
    if reader then
      answer[#answer + 1] = { unpack('>I8', reader) - now, unpack('>I8', reader, @READER_ANSWERED@),
        now - unpack('>I8', reader, @READER_SINCE@), owner, sub(reader, @READER_TEXT@) }
    end
  end
end
return answer
