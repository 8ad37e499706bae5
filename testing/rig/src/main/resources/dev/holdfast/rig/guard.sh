# Runs a server as a child and ends it with SIGKILL when the JVM that asked for it is gone, however it went: the JVM
# holds the other end of the pipe that is standard input here, and the kernel closes it. The server is known by its
# process id, which cannot be reused before this shell has waited for it. Usage: sh guard.sh COMMAND ARGUMENT...
# A signal to the whole process group must not end the guard: a server may ignore it, or be paused, and would stay.
trap '' HUP INT TERM
exec 3<&0 </dev/null
{ trap - HUP TERM; exec "$@" >&2 3<&-; } &
server=$!
echo "$server"
exec >&2
# Its children end with it, unless they are paused, so they are asked for first.
{ read -r line <&3; read -r children <"/proc/$server/task/$server/children"; kill -KILL "$server" $children; } 2>/dev/null &
watch=$!
exec 3<&-
wait "$server"
status=$?
kill -KILL "$watch"
exit "$status"
