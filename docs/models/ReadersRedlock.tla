--------------------------- MODULE ReadersRedlock ---------------------------
(***************************************************************************)
(* Readers and writers on N independent nodes, with tokens that are safe to *)
(* compare. It stands beside FencedRedlock, which has what is the same for  *)
(* both: floors, hints, requests that are repeated, nodes that come back    *)
(* empty.                                                                   *)
(*                                                                         *)
(* A node gives a number to an attempt when it grants, and when it          *)
(* acknowledges one that is written back. It gives only numbers above its   *)
(* counter, which then stands there; so it gives each to one attempt at     *)
(* most. An attempt has a token once a quorum has given it. Beside a reader *)
(* the counter moves on, so its token may be outrun before a quorum has     *)
(* given it: then it tries for a larger one.                                *)
(*                                                                         *)
(* With Expires, a node's grant may end at any instant: no clock is         *)
(* trusted, and tokens order the holders all the same. Without it, grants   *)
(* last until they are given back, and a writer is alone.                   *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
    Nodes, Readers, Writers,   \* every attempt of a reader or writer has an owner id of its own
    Expires,                   \* whether a node's grant may end while its holder relies on it
    FenceAbove,                \* whether a number is given only if it is above the counter
    MaxRaises                  \* how often an attempt tries for a larger token

VARIABLES
    holding,     \* node -> the attempts that it has granted
    given,       \* node -> attempt -> the number that it gave to it last
    counter,     \* node -> its counter
    phase,       \* attempt -> "idle", "asking", "fencing", "granted", "released" or "gone"
    answer,      \* attempt -> node -> the number that it knows to be given to it; 0 if none
    token,       \* attempt -> what it will be granted with
    raises,      \* attempt -> how often it has tried for a larger one
    earlier      \* attempt -> the attempts that were granted before it began

nodeState == <<holding, given, counter>>
clientState == <<phase, answer, token, raises, earlier>>
vars == <<nodeState, clientState>>

Attempts == Readers \cup Writers
Quorum == Cardinality(Nodes) \div 2 + 1
Max(S) == CHOOSE x \in S : \A y \in S : y <= x
HasToken(a) == phase[a] \in {"granted", "released"}
Answering(a) == {n \in Nodes : answer[a][n] > 0}

Init ==
    /\ holding = [n \in Nodes |-> {}]
    /\ given = [n \in Nodes |-> [a \in Attempts |-> 0]]
    /\ counter = [n \in Nodes |-> 0]
    /\ phase = [a \in Attempts |-> "idle"]
    /\ answer = [a \in Attempts |-> [n \in Nodes |-> 0]]
    /\ token = [a \in Attempts |-> 0]
    /\ raises = [a \in Attempts |-> 0]
    /\ earlier = [a \in Attempts |-> {}]

------------------------------- (* Clients *)

Begin(a) ==
    /\ phase[a] = "idle"
    /\ phase' = [phase EXCEPT ![a] = "asking"]
    /\ earlier' = [earlier EXCEPT ![a] = {b \in Attempts : HasToken(b)}]
    /\ UNCHANGED <<nodeState, answer, token, raises>>

\* With a quorum of grants the token is the largest answer.
Decide(a) ==
    /\ phase[a] = "asking" /\ Cardinality(Answering(a)) >= Quorum
    /\ token' = [token EXCEPT ![a] = Max({answer[a][n] : n \in Answering(a)})]
    /\ phase' = [phase EXCEPT ![a] = "fencing"]
    /\ UNCHANGED <<nodeState, answer, raises, earlier>>

\* A node did not give the token, and told its counter.
Raise(a) ==
    /\ phase[a] = "fencing" /\ raises[a] < MaxRaises
    /\ \E n \in Answering(a) :
         /\ answer[a][n] # token[a] /\ a \in holding[n] /\ counter[n] >= token[a]
         /\ token' = [token EXCEPT ![a] = counter[n] + 1]
    /\ raises' = [raises EXCEPT ![a] = @ + 1]
    /\ UNCHANGED <<nodeState, phase, answer, earlier>>

Grant(a) ==
    /\ phase[a] = "fencing"
    /\ Cardinality({n \in Nodes : answer[a][n] = token[a]}) >= Quorum
    /\ phase' = [phase EXCEPT ![a] = "granted"]
    /\ UNCHANGED <<nodeState, answer, token, raises, earlier>>

\* It gives back what it has, or gives up.
Leave(a) ==
    /\ ~Expires /\ phase[a] \in {"asking", "fencing", "granted"}
    /\ phase' = [phase EXCEPT ![a] = IF @ = "granted" THEN "released" ELSE "gone"]
    /\ UNCHANGED <<nodeState, answer, token, raises, earlier>>

------------------------------- (* Nodes *)

Fits(n, a) == IF a \in Readers THEN holding[n] \subseteq Readers ELSE holding[n] = {}

Acquire(n, a) ==
    /\ phase[a] = "asking" /\ answer[a][n] = 0
    /\ Fits(n, a)
    /\ holding' = [holding EXCEPT ![n] = @ \cup {a}]
    /\ counter' = [counter EXCEPT ![n] = @ + 1]
    /\ given' = [given EXCEPT ![n][a] = counter'[n]]
    /\ answer' = [answer EXCEPT ![a][n] = counter'[n]]
    /\ UNCHANGED <<phase, token, raises, earlier>>

Fence(n, a) ==
    /\ phase[a] = "fencing"
    /\ n \in Answering(a) /\ answer[a][n] # token[a]
    /\ a \in holding[n] /\ given[n][a] = answer[a][n]
    /\ FenceAbove => token[a] > counter[n]
    /\ counter' = [counter EXCEPT ![n] = Max({@, token[a]})]
    /\ given' = [given EXCEPT ![n][a] = token[a]]
    /\ answer' = [answer EXCEPT ![a][n] = token[a]]
    /\ UNCHANGED <<holding, phase, token, raises, earlier>>

\* A node that did not give the token learns it later, and holds with it from then on. It counts for no token.
Tell(n, a) ==
    /\ phase[a] = "granted"
    /\ a \in holding[n] /\ given[n][a] # token[a]
    /\ counter' = [counter EXCEPT ![n] = Max({@, token[a]})]
    /\ given' = [given EXCEPT ![n][a] = token[a]]
    /\ UNCHANGED <<holding, clientState>>

End(n, a) ==
    /\ a \in holding[n]
    /\ Expires \/ phase[a] \in {"released", "gone"}
    /\ holding' = [holding EXCEPT ![n] = @ \ {a}]
    /\ UNCHANGED <<given, counter, clientState>>

------------------------------- (* Together *)

Next ==
    \/ \E a \in Attempts : Begin(a) \/ Decide(a) \/ Raise(a) \/ Grant(a) \/ Leave(a)
    \/ \E n \in Nodes, a \in Attempts : Acquire(n, a) \/ Fence(n, a) \/ Tell(n, a) \/ End(n, a)

Spec == Init /\ [][Next]_vars

TokensAreUnique ==
    \A a, b \in Attempts : a # b /\ HasToken(a) /\ HasToken(b) => token[a] # token[b]

LaterIsLarger ==
    \A a \in Attempts : HasToken(a) => \A b \in earlier[a] : token[b] < token[a]

WriterIsAlone ==
    Expires \/ \A w \in Writers, b \in Attempts : w # b /\ phase[w] = "granted" => phase[b] # "granted"

Symmetry == Permutations(Nodes) \cup Permutations(Readers) \cup Permutations(Writers)
=============================================================================
