package fault

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestErrorKeepsKindHintAndCause(t *testing.T) {
	err := fmt.Errorf("outer: %w", New(Data, "a.csv:3: %w", io.ErrUnexpectedEOF).WithHint("mend row %d", 3))
	if !errors.Is(err, Data) || errors.Is(err, Usage) {
		t.Error("the kind is not found in the chain")
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the cause is lost")
	}
	if HintOf(err) != "mend row 3" || HintOf(io.EOF) != "" {
		t.Errorf("hint %q", HintOf(err))
	}
}

func TestParamReadsAsASentence(t *testing.T) {
	if got := Param("gamma", "> 0", -1).Error(); got != "gamma must be > 0, got -1" {
		t.Error(got)
	}
}
