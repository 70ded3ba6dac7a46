#!/usr/bin/env bash
# A night of the fuzz tests: `bash test/fuzz/night.sh FOLDER [SEED]`. The seed of the day comes first, so what it finds hangs on no
# night before. Then come the seeds that were red once, MOST of them at most, the newest (a seed is its day), until somebody has
# made a test of what they found. Each is run whatever the others gave, and this is red at its end if any was. FOLDER keeps
# `seeds`, in the order of their turns, and of each that was red when it was last run `red/SEED.log`: what Vitest printed, with
# the shortest inputs that it found. An old seed that has not begun or ended after MINUTES is named, and has the first turn of
# the next night.
set -euo pipefail
FOLDER=$1
TODAY=${2:-$(date +%Y%m%d)}
MOST=${MOST:-30}
END=$((SECONDS + 60 * ${MINUTES:-320}))
mkdir -p "$FOLDER/red"
touch "$FOLDER/seeds"

# 124 or 137 where the time was over.
vitest() {
  ((SECONDS < END)) || return 124
  timeout --kill-after 60 $((END - SECONDS)) npx vitest run --project unit --testTimeout 18000000 "$@"
}
all_tests() {
  export FUZZ_SEED=$1
  FUZZ_SEQUENCES=1000000 FUZZ_STREAMS=60000 vitest test/printers test/fuzz &&
    FUZZ_RUNS=100000 vitest test/fuzz/escpos-stream test/fuzz/escpos-trail
}
is_kept() {
  grep -qx "$1" "$FOLDER/seeds"
}
# It waits behind all others now. Written at once: of a night that is ended from outside, what it found stays.
to_the_end() {
  local all newest log
  all=$(grep -vx "$1" "$FOLDER/seeds" || true; echo "$1")
  newest=$(sort -n <<< "$all" | tail -n "$MOST")
  grep -Fx "$newest" <<< "$all" > "$FOLDER/seeds.new"
  mv "$FOLDER/seeds.new" "$FOLDER/seeds"
  for log in "$FOLDER"/red/*.log; do is_kept "$(basename "$log" .log)" || rm -f "$log"; done
}

RED=()
LATE=()
# A list that is taken as it was when the night began.
for seed in "$TODAY" $(grep -vx "$TODAY" "$FOLDER/seeds" || true); do
  echo "seed $seed"
  LOG="$FOLDER/red/$seed.log"
  STATE=0
  (all_tests "$seed") 2>&1 | tee "$FOLDER/last.log" || STATE=${PIPESTATUS[0]}
  case $STATE in
    0)
      rm -f "$LOG"
      if is_kept "$seed"; then to_the_end "$seed"; fi
      ;;
    124 | 137) LATE+=("$seed") ;;
    *)
      RED+=("$seed")
      mv "$FOLDER/last.log" "$LOG"
      to_the_end "$seed"
      ;;
  esac
done
rm -f "$FOLDER/last.log"
echo "red: ${RED[*]:-none}; not run to the end: ${LATE[*]:-none}"
# A day's seed that takes longer than a night is a fault, too.
[ ${#RED[@]} = 0 ] && [ "${LATE[0]:-none}" != "$TODAY" ]
