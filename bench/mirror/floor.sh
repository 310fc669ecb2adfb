#!/bin/sh
# The floor: every blob once, four at a time, by curl alone, with no check of what passes.
# floor.sh LIST SOURCE-URL TARGET-URL; a line of LIST is "repository digest".
export SOURCE="$2" TARGET="$3"
xargs -P 4 -L 1 sh -c '
  location=$(curl -s -o /dev/null -D - -X POST "$TARGET/v2/$1/blobs/uploads/" | tr -d "\r" | sed -n "s/^[Ll]ocation: //p")
  curl -s "$SOURCE/v2/$1/blobs/$2" | curl -s -f -o /dev/null -T - "$location&digest=$2"
' sh < "$1"
