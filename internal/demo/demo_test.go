package demo

import (
	"context"
	"errors"
	"testing"

	"rvflplus/fault"
)

func TestPrivilegedDataHelpsWhereItShould(t *testing.T) {
	methods, err := Run(context.Background(), Options{Rows: 60, Test: 500, Repeats: 4, Hidden: 60, Gain: 1.5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	mean := map[string]float64{}
	for _, m := range methods {
		mean[m.Name] = m.Mean
		if len(m.Errors) != 4 || !(m.Mean > 0) {
			t.Errorf("%s: %v", m.Name, m.Errors)
		}
	}
	for _, pair := range [][2]string{
		{"RVFL", "RVFL+ (projected)"}, {"KRVFL", "KRVFL+ (projected)"},
		{"RVFL", "RVFL+ (additive)"}, {"KRVFL", "KRVFL+ (additive)"},
	} {
		plain, priv := pair[0], pair[1]
		if !(mean[priv] < mean[plain]) {
			t.Errorf("%s has error %.3f, %s without privileged data %.3f", priv, mean[priv], plain, mean[plain])
		}
	}
}

func TestBadOptionsAndCancellation(t *testing.T) {
	if _, err := Run(context.Background(), Options{Rows: 3}, nil); !errors.Is(err, fault.Usage) {
		t.Errorf("3 rows: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Options{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
