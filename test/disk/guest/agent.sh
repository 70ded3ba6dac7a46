# Answers the second serial line: a line of NUMBER and SCRIPT-IN-BASE64 by one of NUMBER, EXIT CODE and OUTPUT-IN-BASE64.
busybox stty raw -echo
echo ready
while read -r number script; do
  echo "$script" | base64 -d > script
  code=0
  busybox sh script < /dev/null > output 2>&1 || code=$?
  echo "$number $code $(base64 -w 0 < output)"
done
