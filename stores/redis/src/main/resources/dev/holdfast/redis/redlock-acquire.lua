-- Acquire. Invariant: a free name goes to whoever asks, with a larger counter than any before it on this node; a holder
-- that asks again finds what it has. A node without a floor grants nothing.
-- ARGV: a record (lease 1-4, attempt 5-12, hint 13-20, owner 21-36, client and label), channel of a waiter or '', the hint
-- in digits.
-- Answers: {0, left, floor, holder} refused, {1, counter, left, floor} granted, {2} this node has lost its memory,
-- {3, longest lease}, {4, format} cannot be read.
local lease, attempt, hint = unpack('>I4I8I8', ARGV[1])
local owner, channel = sub(ARGV[1], 21, 36), ARGV[2]
local node = call('HMGET', KEYS[2], 'format', 'floor', 'maxLease')
if not node[2] then
  return { 2 }
end
if node[1] ~= '1' then
  return { 4, node[1] or '?' }
end
local floor, value = tonumber(node[2]), call('GET', KEYS[1])
if value and sub(value, 1, 1) ~= '1' then
  return { 4, sub(value, 1, 1) }
end
if lease > tonumber(node[3]) then
  return { 3, tonumber(node[3]) }
end
local flags = flags_of(value)
if flags >= 2 then
  local buried = call('GET', KEYS[1] .. ':t:' .. owner)
  if buried and attempt <= tonumber(buried) then
    return { 0, 1000, floor, '' }
  end
  if call('EXISTS', KEYS[1] .. ':t') == 0 then
    flags = flags - 2
  end
end
local expiry = held_until(value)
if expiry > 0 and owner_of(value) == owner then
  if unpack('>I8', value, 35) < attempt then
    call('SETRANGE', KEYS[1], 34, sub(ARGV[1], 5, 12))
  end
  return { 1, unpack('>I8', value, 43), expiry - now - 1, floor }
end
if expiry > 0 then
  if channel ~= '' then
    call('ZADD', KEYS[1] .. ':w', 'NX', now, channel)
    call('PEXPIRE', KEYS[1] .. ':w', WAITS)
    if flags % 2 == 0 then
      call('SETRANGE', KEYS[1], 1, flags + 1)
    end
  end
  return { 0, expiry - now, floor, owner_of(value) }
end
local counter = (value and unpack('>I8', value, 3) or floor) + 1
hint = math.min(hint, (now - ORIGIN + 3600000) * 1000)
if hint > counter then
  counter = hint
end
if counter > LAST_EPOCH then
  return { 4, '1' }
end
if flags % 2 == 1 and channel ~= '' then
  call('ZREM', KEYS[1] .. ':w', channel)
end
local number = pack('>I8', counter)
write(KEYS[1], flags, number, pack('>I8I8', now + lease + 1, now) .. sub(ARGV[1], 5, 12) .. number .. sub(ARGV[1], 21))
raise_floor(KEYS[2], floor, counter)
return { 1, counter, lease, math.max(floor, counter) }
