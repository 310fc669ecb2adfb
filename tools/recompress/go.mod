module atoll/recompress

go 1.24

require (
	github.com/klauspost/compress v1.18.2
	github.com/klauspost/pgzip v1.2.6
)
