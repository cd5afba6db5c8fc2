package parquet

import (
	"fmt"

	"rvflplus/fault"
	"rvflplus/internal/memory"
)

// CheckColumns returns the error that Write gives for so many columns: before rows are
// read for it.
func CheckColumns(n int) error {
	if n == 0 || n > maxWritten {
		return fault.New(fault.Usage, "%d columns, a Parquet file has 1 to %d", n, maxWritten).WithHint("write another format, or fewer columns")
	}
	return memory.Check(columnBytes*float64(n), fmt.Sprintf("writing %d columns of a Parquet file", n), "write CSV or fewer columns")
}
