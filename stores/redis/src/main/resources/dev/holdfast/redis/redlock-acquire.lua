-- Acquire. Invariant: a free name goes to whoever asks, with a larger counter than any before it on this node; a holder
-- that asks again finds what it has. A node without a floor grants nothing.
-- ARGV: owner, attempt, lease, hint, channel of a waiter or '', client and label.
-- Answers: {0, left, floor, holder} refused, {1, counter, left, floor} granted, {2} this node has lost its memory,
-- {3, longest lease}, {4, format} cannot be read.
local owner, attempt, lease, channel = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[5]
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
if expiry > 0 and sub(value, 43, 58) == owner then
  if unpack('>I8', value, 27) < attempt then
    call('SETRANGE', KEYS[1], 26, pack('>I8', attempt))
  end
  return { 1, unpack('>I8', value, 19), expiry - now - 1, floor }
end
if expiry > 0 then
  if channel ~= '' then
    call('ZADD', KEYS[1] .. ':w', 'NX', now, channel)
    call('PEXPIRE', KEYS[1] .. ':w', WAITS)
    if flags % 2 == 0 then
      call('SETRANGE', KEYS[1], 1, flags + 1)
    end
  end
  return { 0, expiry - now, floor, sub(value, 43, 58) }
end
local counter = (value and unpack('>I8', value, 3) or floor) + 1
local hint = math.min(tonumber(ARGV[4]), (now - ORIGIN + 3600000) * 1000)
if hint > counter then
  counter = hint
end
if counter > LAST_EPOCH then
  return { 4, '1' }
end
if flags % 2 == 1 and channel ~= '' then
  call('ZREM', KEYS[1] .. ':w', channel)
end
call('SET', KEYS[1], '1' .. flags .. pack('>I8I8I8I8I8', counter, now + lease + 1, counter, attempt, now)
  .. owner .. ARGV[6], 'PX', KEPT)
raise_floor(KEYS[2], floor, counter)
return { 1, counter, lease, math.max(floor, counter) }
