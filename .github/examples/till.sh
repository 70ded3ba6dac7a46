#!/bin/sh
# sh till.sh print|kick|status|events [TEXT], with curl; the node is NODE, http://127.0.0.1:8080 where not given.
# sh till.sh receive SIGNATURE <BODY tells whether a message of a webhook is from the node, with openssl.
NODE=${NODE:-http://127.0.0.1:8080}
id=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')

# Done once: sent again with its key where the answer is lost, for 90 s.
once() {
  tries=0
  while :; do
    answer=$(curl -sS -m 30 -H "Idempotency-Key: $id" "$NODE$1" -d "$2") || answer='{"ok":false,"error":"unreachable"}'
    case $answer in
    *'"unreachable"'* | *'"busy"'* | *'"key_in_use"'* | *'"restarting"'*) ;;
    *) break ;; # write_failed: look at the paper
    esac
    tries=$((tries + 1))
    [ "$tries" -lt 90 ] || break
    sleep 1
  done
  printf '%s\n' "$answer"
}

case $1 in
print)
  value=$(printf %s "${2:-Hello}" | sed 's/[\\"]/\\&/g')
  once /print '{"type":"print","id":"'"$id"'","endpoint":"receipt","lines":[{"type":"text","value":"'"$value"'"},{"type":"cut"}]}'
  ;;
kick) once /drawer/kick '{"type":"drawer_kick","id":"'"$id"'","endpoint":"receipt"}' ;;
status) curl -sS -m 30 "$NODE/status" ;;
events) curl -sSN "$NODE/events" | sed -un 's/^data: //p' ;;
receive)
  body=$(cat)
  own=sha256=$(printf %s "$body" | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1)
  [ "$own" = "$2" ] && printf '%s\n' "$body"
  ;;
esac
