package repro

// Names of the protocols.
const (
	PublishedName = "published"
	OursName      = "ours"
)

// gammaOfPaper is the paper's γ for KRVFL+, "in all experiments".
const gammaOfPaper = 5000

const (
	normalised = "As published: rows divided by their L1 norm, each space by itself; "
	drawnSo    = "settings drawn at random in the paper's ranges (support vector machines: C and γ from 0.01 to 1000) "
	heldSo     = "; γ = 5000 and one width τ for KRVFL+"
)

// published is the protocol that the paper describes. The paper draws settings at random and does not say how many.
func published(choice string, draws Draws) Protocol {
	p := Protocol{
		Name: PublishedName, Scale: "l1", Choice: choice, Draws: draws, Gamma: gammaOfPaper, OneWidth: true,
		Title: normalised + drawnSo + "and chosen in the paper's folds" + heldSo + "; targets not centred.",
	}
	if choice == "validation" {
		p.Title = normalised + drawnSo + "and chosen on the validation rows" + heldSo + "."
	}
	return p
}

// atEveryPoint is the published protocol of figures, which choose nothing.
func atEveryPoint() Protocol {
	p := published("validation", Draws{})
	p.Title = normalised + "trained at every point of the grid and scored on the validation rows."
	return p
}

// ours is the protocol that differs from the paper's where another way is better founded. The splits are the same.
func ours(draws Draws) Protocol {
	return Protocol{
		Name: OursName, Scale: "standard", Choice: "loo", Draws: draws, Center: true,
		Title: "Ours: the same splits; features standardised; settings, γ too, chosen by exact leave-one-out " +
			"(support vector machines: in the paper's folds); targets of regressions centred.",
	}
}
