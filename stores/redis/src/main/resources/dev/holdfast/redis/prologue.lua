-- What acquire, release, withdraw and evict share: how the state of a name is read, served and written.
-- Invariant: side keys are written before heads and heads before messages, so that a script which the server refuses
-- half-way (out of memory, a slot on the move) has granted nothing; and before any decision about a name, its expired
-- holders are gone and every waiter at the head of the line that fits is granted, as far as MOST_LOOKED_AT goes.
--
-- A name between two @ stands for a number that scripts and Java share: where a field of a record stands (RecordField.java),
-- or a limit (ScriptNumbers.java). The stamp is the last argument where servers replace each other. All times are
-- milliseconds of the name's clock (see load).
local KEPT, KEPT_AT_LEAST = @KEPT@, @KEPT_AT_LEAST@
local ORIGIN, LAST_EPOCH = @ORIGIN@, @LAST_EPOCH@
local PROVISIONAL, PATIENCE, BURIED = @PROVISIONAL@, @PATIENCE@, 60000
local LONGEST_HINT, IDLE_HINT, ABSENT, GRACE = @LONGEST_HINT@, @IDLE_HINT@, @ABSENT@, 200
-- So many waiters of a name are looked at by one run of a script, in pages; so many are asked whether they live.
local MOST_LOOKED_AT, MOST_ASKED, SHORT_PAGE, PAGE, LONG_LINE = 256, 256, 4, 128, @LONG_LINE@
-- Beside the records of a line stands up to which arrival everybody was passed over. Whoever was heard of so lately lives.
local PASSED, HEARD_LATELY = 'passed', 1000

local call, sub, match, pack, spread, unpack = redis.call, string.sub, string.match, struct.pack, unpack, struct.unpack
local names, outbox = {}, {}
local now, place, of_server
local step, arriving = 0, false
if stamp then
  step, arriving = unpack('>I8', stamp), string.byte(stamp, @STAMP_ARRIVING@) == 49
  if #stamp > @STAMP_ARRIVING@ then
    -- In a cluster nobody can be seen listening, so waiters ask more often and grants that nobody confirms are shorter.
    place, PROVISIONAL, LONGEST_HINT = sub(stamp, @STAMP_PLACE@), @CLUSTER_PROVISIONAL@, @CLUSTER_HINT@
    -- Where a slot is leaving, the server refuses every look for a key that is not there. One that this script has used
    -- before, and has emptied since, is empty: to stop half-way would leave side keys that do not agree with their head.
    local used = {}
    local empty = { EXISTS = 0, DEL = 0, ZRANGE = {}, ZREVRANGE = {}, HGETALL = {}, HMGET = {}, HGET = false,
      ZSCORE = false, HLEN = 0, HDEL = 0, ZREM = 0, ZREMRANGEBYSCORE = 0, PEXPIRE = 0 }
    call = function(command, ...)
      local key, answer = (...) or '', redis.pcall(command, ...)
      if type(answer) ~= 'table' or not answer.err then
        used[key] = true
        return answer
      elseif used[key] and empty[command] ~= nil and string.find(answer.err, 'non local key', 1, true) then
        return empty[command]
      end
      return redis.call(command, ...)
    end
  end
end

local function number(text, at)
  return (unpack('>I4', text, at))
end

local function server_time()
  local time = call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- The server's clock as epochs count it, in microseconds.
local function micros()
  local time = call('TIME')
  return (time[1] * 1000 - ORIGIN) * 1000 + time[2]
end

-- The time that clients are told, to relate one server's messages to its answers: a moved name's own clock does not do.
local function told()
  return place and server_time() or now
end

-- Whether every key is here that the head speaks of. While a slot moves, its keys come one by one; where they leave, the
-- server refuses to look for one that is gone, before anything is done.
local function is_torn(name)
  local key = name.key
  local whole = (not name.shared or call('EXISTS', key .. ':h') == 1)
    and (not name.line or call('EXISTS', key .. ':q') + call('EXISTS', key .. ':w') == 2)
    and (not name.graves or call('EXISTS', key .. ':t') == 1)
  return arriving and not whole
end

-- Why nothing can be done with a name, if so: it cannot be read, or not now.
local function refusal(name, part)
  if name.newer then
    return { 3, part, name.format }
  end
  return name.torn and redis.error_reply('TRYAGAIN the keys of this lock are on the move')
end

-- Reads a name once per script. Its clock is the time at which its key expires less what is left until then: that is
-- the server's clock, for the price of a cheaper command. After a move it is behind or ahead of the new server's, and
-- stays so for as long as the name has a time in it: a step would end leases early.
--
-- An epoch is larger than the last one, and not behind the clock. What is read from a key that never moved is never ahead of
-- the server's clock, and behind by less than a millisecond; every grant takes the server more than a microsecond; so the last
-- epoch is never ahead of the server's microseconds either. Where nothing tells what was given before, in this millisecond
-- perhaps, they stand for the last epoch. In a cluster, where a name's own clock may be ahead, they always count.
local function load(key)
  local name = names[key]
  if name then
    return name
  end
  name = { key = key, used = 0, expiry = 0, last = 0 }
  names[key] = name
  local head = fetched
  if key ~= KEYS[1] then
    head = call('GET', key)
  end
  if head then
    name.format = sub(head, @HEAD_FORMAT@, @HEAD_FORMAT@)
    name.newer = name.format ~= '1'
  end
  if head and not name.newer then
    local flags = string.byte(head, @HEAD_FLAGS@) - 48
    name.ends, name.expiry, name.last = unpack('>I8I8I8', head, @HEAD_ENDS@)
    name.newer = name.last >= LAST_EPOCH
    name.line = flags % 2 == 1
    name.graves = flags % 4 >= 2
    name.shared = flags >= 4
    if name.shared or #head == @SUMMARY_USED_END@ then
      name.kind = sub(head, @SUMMARY_KIND@, @SUMMARY_KIND@)
      name.cap, name.used = number(head, @SUMMARY_CAPACITY@), number(head, @SUMMARY_USED@)
    elseif #head > @SUMMARY_USED_END@ then
      name.holder = sub(head, @HEAD_OWNER@)
      name.kind = sub(head, @HEAD_KIND@, @HEAD_KIND@)
      name.cap, name.used = number(head, @HEAD_CAPACITY@), number(head, @HEAD_UNITS@)
    end
    name.torn = place and is_torn(name)
    name.idle = flags == 0 and not name.holder
  end
  if not now then
    local left = name.ends and not name.idle and call('PTTL', key) or 0
    if left > 0 then
      now = name.ends - left
    else
      now, of_server = server_time(), true
      name.ends = nil
    end
  end
  if not head then
    name.last = micros() + step - 1
  end
  return name
end

-- Counts the shared holders anew and drops those whose lease is over.
local function recount(name)
  local all = call('HGETALL', name.key .. ':h')
  name.used, name.expiry = 0, 0
  for i = 1, #all, 2 do
    local expiry = unpack('>I8', all[i + 1])
    if expiry <= now then
      call('HDEL', name.key .. ':h', all[i])
      name.unconfirmed = stamp and name.line
    else
      name.used = name.used + number(all[i + 1], @UNITS@)
      if name.expiry == 0 or expiry < name.expiry then
        name.expiry = expiry
      end
    end
  end
  name.shared = name.used > 0
  name.dirty = true
end

-- Drops holders whose lease is over.
local function refresh(name)
  if name.holder and name.expiry <= now then
    name.holder, name.used, name.expiry, name.dirty = nil, 0, 0, true
    name.unconfirmed = stamp and name.line
  elseif name.shared and name.expiry <= now then
    recount(name)
  end
end

-- The epoch, expiry and record of an owner among the holders, if it is there.
local function held(name, owner)
  if name.holder then
    if sub(name.holder, @OWNER@, @OWNER_END@) == owner then
      return name.last, name.expiry, name.holder
    end
  elseif name.shared then
    local record = call('HGET', name.key .. ':h', owner)
    if record then
      local expiry, epoch = unpack('>I8I8', record)
      return epoch, expiry, record
    end
  end
end

local function share(name, owner, record, expiry, epoch)
  call('HSET', name.key .. ':h', owner, pack('>I8I8', expiry, epoch) .. sub(record, @MODE@))
  call('PEXPIRE', name.key .. ':h', KEPT)
end

-- Makes an owner a holder. A single one stands in the head; when a second comes, both stand in a hash.
local function hold(name, owner, record, lease)
  local epoch, expiry = (place and micros() or (now - ORIGIN) * 1000) + step, now + lease + 1
  if epoch <= name.last then
    epoch = name.last + 1
  end
  if name.used == 0 then
    name.holder, name.expiry = owner .. sub(record, @MODE@), expiry
  else
    if name.holder then
      -- Without this flag in the head there are no shared holders: what stands there lost its head, and with it the name.
      local first, strays = sub(name.holder, @OWNER@, @OWNER_END@), call('HGETALL', name.key .. ':h')
      share(name, first, name.holder, name.expiry, name.last)
      for i = 1, #strays, 2 do
        if strays[i] ~= first then
          call('HDEL', name.key .. ':h', strays[i])
        end
      end
      name.holder = nil
    end
    share(name, owner, record, expiry, epoch)
    name.expiry, name.shared = math.min(name.expiry, expiry), true
  end
  name.kind, name.cap = sub(record, @KIND@, @KIND@), number(record, @CAPACITY@)
  name.last, name.used, name.dirty = epoch, name.used + number(record, @UNITS@), true
  return epoch
end

-- Whether nobody can stand beside the holder in the head now: where the slot is leaving, no key can begin. To be asked before
-- anything is done for a second holder.
local function is_cramped(name)
  return place and name.used > 0 and name.holder and type(redis.pcall('EXISTS', name.key .. ':h')) == 'table'
end

-- Ends what an owner holds; record is the one that held() told.
local function free(name, owner, record)
  name.dirty = true
  if name.holder then
    name.holder, name.used, name.expiry = nil, 0, 0
  else
    call('HDEL', name.key .. ':h', owner)
    name.used = name.used - number(record, @UNITS@)
    if name.used <= 0 then
      call('DEL', name.key .. ':h')
      name.used, name.expiry, name.shared = 0, 0, false
    end
  end
end

local function leave(name, owner)
  call('ZREM', name.key .. ':q', owner)
  call('HDEL', name.key .. ':w', owner)
  name.dirty, name.present = true, nil
end

-- The record of a waiter; one that has not been heard of for too long leaves the line.
local function waiter(name, owner)
  local record = call('HGET', name.key .. ':w', owner)
  if record and unpack('>I8', record) > now then
    return record
  end
  leave(name, owner)
end

-- Those of a page of the line who live, as {owner, arrival, record}. Dead ones leave the line, all at once.
local function look(name, page)
  local owners, living, dead = {}, {}, {}
  for i = 1, #page, 2 do
    owners[#owners + 1] = page[i]
  end
  if #owners > 0 then
    local records = call('HMGET', name.key .. ':w', spread(owners))
    for i = 1, #owners do
      if records[i] and unpack('>I8', records[i]) > now then
        living[#living + 1] = { owners[i], tonumber(page[2 * i]), records[i] }
      else
        dead[#dead + 1] = owners[i]
      end
    end
  end
  if #dead > 0 then
    call('ZREM', name.key .. ':q', spread(dead))
    call('HDEL', name.key .. ':w', spread(dead))
    name.dirty, name.purged = true, true
  end
  return living
end

-- Walks along the line behind an arrival number, if there is one, page by page, until visit(owner, arrival, record) says true
-- or everybody that one script may look at was looked at: then the line may go on, which is the answer.
local function walk(name, behind, visit)
  local from, looked, size = behind and string.format('(%.0f', behind) or '-inf', 0, SHORT_PAGE
  while name.line and looked < MOST_LOOKED_AT do
    local page = call('ZRANGE', name.key .. ':q', from, '+inf', 'BYSCORE', 'LIMIT', 0, size, 'WITHSCORES')
    local living = look(name, page)
    for i = 1, #living do
      if visit(living[i][1], living[i][2], living[i][3]) then
        return false
      end
    end
    if #page < 2 * size then
      return false
    end
    from, looked, size = '(' .. page[#page], looked + size, PAGE
  end
  return name.line
end

-- Looks at some waiters of a long line, others each time, so that dead ones do not gather behind a lock that is held.
local function sample(name)
  local count = name.line and call('HLEN', name.key .. ':w') or 0
  if count > LONG_LINE then
    local at = now % count
    look(name, call('ZRANGE', name.key .. ':q', at, at + PAGE - 1, 'WITHSCORES'))
  end
end

local function arrival(name, owner)
  return name.line and tonumber(call('ZSCORE', name.key .. ':q', owner) or nil)
end

-- Up to which arrival everybody was passed over, and was not heard of since; false if nobody was.
local function passed(name)
  if name.passed == nil then
    name.passed = name.line and tonumber(call('HGET', name.key .. ':w', PASSED) or nil) or false
  end
  return name.passed
end

local function pass(name, number_in_line)
  name.passed = number_in_line
  call('HSET', name.key .. ':w', PASSED, string.format('%.0f', number_in_line))
end

-- Whoever asks lives, and has its place again.
local function hear(name, owner)
  local number_in_line = passed(name) and arrival(name, owner)
  if number_in_line and number_in_line <= name.passed then
    pass(name, number_in_line - 1)
  end
end

-- The units of everybody in line before an arrival number, counted no further than is needed to exceed the room.
local function ahead(name, number_in_line, room)
  local units, done = 0, not name.line
  local more = walk(name, nil, function(_, arrived, record)
    if arrived >= number_in_line then
      done = true
    else
      units = units + number(record, @UNITS@)
    end
    return done or units > room
  end)
  return not done and more and math.huge or units
end

-- The grant rule: the units of everybody ahead, and one's own, fit the capacity.
local function fits(name, units, number_in_line)
  local room = (name.cap or units) - name.used - units
  return room >= 0 and ahead(name, number_in_line, room) <= room
end

local function wanted(name)
  return name.line and call('EXISTS', name.key .. ':q') == 1
end

-- Whether a waiter is there to be told of its grant: somebody listens on its channel (which in a cluster can be at any
-- node, and so is not seen), and it was not in vain that it was asked; nil if it has a moment left to answer.
local function reachable(record)
  if not place and call('PUBSUB', 'NUMSUB', match(record, '^[^\n]*', @TEXT@))[2] == 0 then
    return false
  end
  local left = unpack('>I8', record) - now
  if left > ABSENT then
    return true
  end
  if left <= ABSENT - GRACE then
    return false
  end
end

-- The keys of all names that a waiter waits for; nil if it is one.
local function companions(record)
  return match(record, '^[^\n]*\n[^\n]*\n[^\n]*\n(.*)$', @TEXT@)
end

-- The same rule without those who cannot be told; they are looked at once per script.
local function fits_without_the_absent(name, units, number_in_line)
  if not name.present then
    local present = {}
    present.more = walk(name, passed(name), function(_, arrived, record)
      if reachable(record) ~= false then
        present[#present + 1] = { arrived, number(record, @UNITS@) }
      end
    end)
    name.present = present
  end
  local room = (name.cap or units) - name.used - units
  for i = 1, #name.present do
    if room < 0 or name.present[i][1] >= number_in_line then
      return room >= 0
    end
    room = room - name.present[i][2]
  end
  return room >= 0 and not name.present.more
end

-- Whether a waiter fits on all of its names: true or false; nil if it does not stand in every line with one number.
local function fits_everywhere(name, number_in_line, owner, keys)
  for key in string.gmatch(keys, '[^\n]+') do
    local other = load(key)
    if other ~= name then
      local record = not other.newer and arrival(other, owner) == number_in_line and waiter(other, owner)
      if not record then
        return nil
      end
      refresh(other)
      if not fits_without_the_absent(other, number(record, @UNITS@), number_in_line) then
        return false
      end
    end
  end
  return true
end

-- Grants a waiter all of its names. Its client may be gone, so the lease is short, and the client is told; the owner of
-- the request under way needs neither.
local function grant(name, owner, record, keys, me)
  local lease = number(record, @LEASE@)
  if owner ~= me and lease > PROVISIONAL then
    lease = PROVISIONAL
  end
  local epochs, granted = '', {}
  for key in string.gmatch(keys or name.key, '[^\n]+') do
    local part = load(key)
    local own = call('HGET', key .. ':w', owner)
    leave(part, owner)
    epochs = epochs .. pack('>I8', hold(part, owner, own, lease))
    granted[#granted + 1] = part
  end
  if owner ~= me then
    for i = 1, #granted do
      epochs = epochs .. (wanted(granted[i]) and '1' or '0')
    end
    outbox[#outbox + 1] = {
      match(record, '^[^\n]*', @TEXT@),
      'G' .. owner .. pack('>I8I4B', told(), lease, #(place or '')) .. (place or '') .. epochs,
    }
  end
end

-- Whoever cannot be told and lives asks again on its own within the longest hint; after that it is gone.
local function doubt(name, owner, record)
  if unpack('>I8', record) > now + ABSENT then
    call('HSET', name.key .. ':w', owner, pack('>I8', now + ABSENT) .. sub(record, @SINCE@))
    return true
  end
end

-- Asks the first in line behind an arrival number whether they live: because a grant has ended that nobody gave back, or
-- because those before them did not answer. In a cluster nobody can be seen listening, and after a failover those may stand in
-- line whom the old server has served.
local function question(name, me, behind)
  local asked = 0
  walk(name, behind, function(owner, _, record)
    asked = asked + 1
    if owner ~= me and doubt(name, owner, record) then
      outbox[#outbox + 1] = { match(record, '^[^\n]*', @TEXT@), 'R' .. owner }
    end
    return asked >= MOST_ASKED
  end)
end

-- Grants every waiter at the head of the line that fits. One that nobody could tell keeps its place and is passed over. Of a
-- crowd of those it is noted how far it reaches, so that the next run goes on behind it; and in a cluster those who follow
-- them are asked first, too, as they would be granted in vain one after another.
local function serve(name, me)
  if name.unconfirmed then
    name.unconfirmed = nil
    question(name, me, passed(name))
  end
  local taken = name.used
  name.unserved = false
  if not name.line or taken >= name.cap then
    return
  end
  local before = passed(name)
  if before then
    look(name, call('ZRANGE', name.key .. ':q', 0, PAGE - 1, 'WITHSCORES'))
  end
  local behind, crowd, in_a_row, asking = before, 0, true, false
  name.unserved = walk(name, before, function(owner, number_in_line, record)
    local there = owner == me or reachable(record)
    if there and owner ~= me and place and behind and unpack('>I8', record) <= now + PATIENCE - HEARD_LATELY then
      asking = number_in_line - 1
      return true
    elseif there == nil then
      return true
    elseif not there then
      doubt(name, owner, record)
      if in_a_row then
        behind, crowd = number_in_line, crowd + 1
      end
      return false
    end
    local units, keys = number(record, @UNITS@), companions(record)
    local fit = taken + units <= name.cap
    if keys and fit then
      fit = fits_everywhere(name, number_in_line, owner, keys)
    end
    if fit and is_cramped(name) then
      return true
    elseif fit then
      grant(name, owner, record, keys, me)
      taken = taken + units
    elseif fit == nil then
      leave(name, owner)
    else
      taken, in_a_row = taken + units, false
    end
    return taken >= name.cap
  end)
  if asking then
    question(name, me, asking)
  end
  if crowd >= LONG_LINE then
    pass(name, behind)
    name.advanced = true
  end
end

-- Whether it is worth to serve a name once more: the line goes on, and the next run does not look at the same again.
local function goes_on(name)
  return name.unserved and (name.purged or name.advanced)
end

-- Whether a withdrawn owner is remembered here.
local function buried(name, owner)
  if not name.graves then
    return false
  end
  call('ZREMRANGEBYSCORE', name.key .. ':t', '-inf', now)
  if call('EXISTS', name.key .. ':t') == 0 then
    name.graves, name.dirty = false, true
    return false
  end
  return call('ZSCORE', name.key .. ':t', owner) ~= false
end

-- Writes every head that was changed, then sends the messages; tells whether somebody listened to each of them, as far as
-- that can be seen.
local function settle()
  local heard = true
  for key, name in pairs(names) do
    if name.dirty then
      local lined = name.line
      name.line = wanted(name)
      if lined and not name.line then
        call('DEL', key .. ':w')
      end
      local fresh = not name.ends or name.ends - now < KEPT_AT_LEAST
      if fresh then
        name.ends = now + KEPT
        if name.graves then
          call('PEXPIRE', key .. ':t', KEPT)
        end
      end
      local flags = (name.line and 1 or 0) + (name.graves and 2 or 0) + (name.shared and 4 or 0)
      local rest = ''
      if name.holder then
        rest = name.holder
      elseif name.shared or name.line then
        rest = name.kind .. pack('>I4I4', name.cap, name.used)
      end
      local head = '1' .. flags .. pack('>I8I8I8', name.ends, name.expiry, name.last) .. rest
      if fresh and of_server then
        -- To the millisecond: a key that ended earlier than it says would put the clock that is read from it forward.
        call('SET', key, head, 'PXAT', string.format('%.0f', name.ends))
      elseif fresh then
        call('SET', key, head, 'PX', KEPT)
      else
        call('SET', key, head, 'KEEPTTL')
      end
    end
  end
  for i = 1, #outbox do
    heard = call('PUBLISH', outbox[i][1], outbox[i][2]) > 0 and heard
  end
  return heard
end
