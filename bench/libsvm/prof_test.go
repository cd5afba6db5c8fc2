package main

import (
	"context"
	"os"
	"testing"
)

func BenchmarkTasks(b *testing.B) {
	for _, t := range tasks {
		p, err := t.load(context.Background(), os.Getenv("RVFL_DATA"))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(t.name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := p.train(context.Background(), 1e-6); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
