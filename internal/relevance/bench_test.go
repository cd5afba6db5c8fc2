package relevance

import (
	"fmt"
	"testing"
)

// BenchmarkLearn learns the widths of 20 columns under every strength.
func BenchmarkLearn(b *testing.B) {
	for _, rows := range []int{150, 600} {
		p := informative(rows, 1)
		b.Run(fmt.Sprintf("%d rows", rows), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Learn(b.Context(), p, Strengths()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
