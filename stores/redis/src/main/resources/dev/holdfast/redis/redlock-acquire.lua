-- Acquire. Invariant: a free name goes to whoever asks, one that is read to further readers, with a larger counter than any
-- before it on this node; a holder that asks again finds what it has. A node without a floor grants nothing.
-- ARGV: a record (ASKED in RecordField.java), channel of a waiter or '', the hint in digits.
-- Answers: {0, left, floor, holder} refused, {1, counter, left, floor} granted, {2} this node has lost its memory,
-- {3, longest lease}, {4, format} cannot be read, {5, left, floor, holder, kind} refused, as it is in use as another kind.
local lease, attempt, hint = unpack('>I4I8I8', ARGV[1])
local owner, kind = sub(ARGV[1], @ASKED_OWNER@, @ASKED_OWNER_END@), sub(ARGV[1], @ASKED_KIND@, @ASKED_KIND@)
local attempted, channel = sub(ARGV[1], @ASKED_ATTEMPT@, @ASKED_ATTEMPT_END@), ARGV[2]
local node = call('HMGET', KEYS[2], 'format', 'floor', 'maxLease')
if not node[2] then
  return { 2 }
end
if node[1] ~= '1' then
  return { 4, node[1] or '?' }
end
local floor, value = tonumber(node[2]), call('GET', KEYS[1])
if value and sub(value, @NODE_FORMAT@, @NODE_FORMAT@) ~= '1' then
  return { 4, sub(value, @NODE_FORMAT@, @NODE_FORMAT@) }
end
if lease > tonumber(node[3]) then
  return { 3, tonumber(node[3]) }
end
local flags = flags_of(value)
if flags % 4 >= 2 then
  local buried = call('GET', KEYS[1] .. ':t:' .. owner)
  if buried and attempt <= tonumber(buried) then
    return { 0, 1000, floor, '' }
  end
  if call('EXISTS', KEYS[1] .. ':t') == 0 then
    flags = flags - 2
  end
end
-- Who is in the way, as what, and until when.
local expiry, holder, held_as = held_until(value), nil, nil
if expiry > 0 then
  holder, held_as = owner_of(value), sub(value, @NODE_KIND@, @NODE_KIND@)
  if holder == owner then
    if unpack('>I8', value, @NODE_ATTEMPT@) < attempt then
      call('SETRANGE', KEYS[1], @NODE_ATTEMPT_AT@, attempted)
    end
    return { 1, unpack('>I8', value, @NODE_ANSWERED@), expiry - now - 1, floor }
  end
elseif flags >= 4 then
  local reader = reader_of(KEYS[1], value, owner)
  if reader then
    if unpack('>I8', reader, @READER_ATTEMPT@) < attempt then
      call('SETRANGE', KEYS[1] .. ':r:' .. owner, @READER_ATTEMPT_AT@, attempted)
    end
    return { 1, unpack('>I8', reader, @READER_ANSWERED@), unpack('>I8', reader) - now - 1, floor }
  end
  expiry, holder, held_as = read_until(KEYS[1]), READERS, 'r'
  if expiry == 0 then
    flags = flags - 4
  end
end
if expiry > 0 and (kind == 'e') ~= (held_as == 'e') then
  return { 5, expiry - now, floor, holder, held_as }
end
local full = held_as == 'r' and kind == 'r' and call('ZCARD', KEYS[1] .. ':r') >= MOST_READERS
if full then
  expiry = tonumber(call('ZRANGE', KEYS[1] .. ':r', 0, 0, 'WITHSCORES')[2])
end
if expiry > 0 and (full or held_as ~= 'r' or kind ~= 'r') then
  if channel ~= '' then
    call('ZADD', KEYS[1] .. ':w', 'NX', now, channel)
    call('PEXPIRE', KEYS[1] .. ':w', WAITS)
    if flags % 2 == 0 then
      call('SETRANGE', KEYS[1], @NODE_FLAGS_AT@, flags + 1)
    end
  end
  return { 0, expiry - now, floor, holder }
end
local counter = (value and unpack('>I8', value, @NODE_COUNTER@) or floor) + 1
hint = math.min(hint, (now - ORIGIN + @MOST_AHEAD@) * 1000)
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
if kind == 'r' then
  write(KEYS[1], flags % 4 + 4, number, '')
  read(KEYS[1], owner, now + lease + 1, pack('>I8', now) .. attempted .. number .. sub(ARGV[1], @ASKED_TEXT@))
else
  write(KEYS[1], flags, number, pack('>I8I8', now + lease + 1, now) .. attempted .. number .. sub(ARGV[1], @ASKED_OWNER@))
end
raise_floor(KEYS[2], floor, counter)
return { 1, counter, lease, math.max(floor, counter) }
