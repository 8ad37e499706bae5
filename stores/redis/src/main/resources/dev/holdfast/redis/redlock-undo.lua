-- Undo. Invariant: afterwards the owner holds nothing that this attempt or an earlier one took, and with a tombstone no
-- late request of them takes effect; a later attempt is left alone.
-- ARGV: owner, attempt, how long the tombstone lasts or '0', '1' to tell those who wait, the owner's own channel or ''.
local value = call('GET', KEYS[1])
if ARGV[3] ~= '0' then
  local floor = not value and call('HGET', KEYS[2], 'floor')
  if floor then
    -- A counter that is not remembered is the floor; it is written down to carry the flag.
    value = '10' .. pack('>I8I8', tonumber(floor), 0)
  end
  if value then
    local grave = KEYS[1] .. ':t:' .. ARGV[1]
    local buried = call('GET', grave)
    if not buried or tonumber(buried) < tonumber(ARGV[2]) then
      call('SET', grave, ARGV[2], 'PX', ARGV[3])
    end
    call('SET', KEYS[1] .. ':t', '', 'PX', ARGV[3])
    local flags = flags_of(value)
    flags = flags % 4 < 2 and flags + 2 or flags
    write(KEYS[1], flags, sub(value, @NODE_COUNTER@, @NODE_COUNTER_END@), sub(value, FREE + 1))
    value = '1' .. flags .. sub(value, @NODE_COUNTER@)
  end
end
if ARGV[5] ~= '' then
  call('ZREM', KEYS[1] .. ':w', ARGV[5])
end
if held_until(value) > 0 and owner_of(value) == ARGV[1] and unpack('>I8', value, @NODE_ATTEMPT@) <= tonumber(ARGV[2]) then
  free(KEYS[1], value, ARGV[4] == '1')
  return 1
end
local reader = reader_of(KEYS[1], value, ARGV[1])
if reader and unpack('>I8', reader, @READER_ATTEMPT@) <= tonumber(ARGV[2]) then
  leave(KEYS[1], value, ARGV[1], ARGV[4] == '1')
  return 1
end
return 0
