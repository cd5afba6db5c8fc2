package repro

// Names of the protocols.
const (
	PublishedName = "published"
	OursName      = "ours"
)

// gammaOfPaper is the paper's γ for KRVFL+, "in all experiments".
const gammaOfPaper = 5000

// published is what the paper describes. It draws settings at random and does not say
// how many.
func published(choice string, draws Draws) Protocol {
	p := Protocol{
		Name: PublishedName, Scale: "l1", Choice: choice, Draws: draws, Gamma: gammaOfPaper, OneWidth: true,
		Title: "As published: rows divided by their L1 norm, each space by itself; settings drawn at random in the paper's ranges (support vector machines: C and γ from 0.01 to 1000) and chosen in the paper's folds; γ = 5000 and one width τ for KRVFL+; targets not centred.",
	}
	if choice == "validation" {
		p.Title = "As published: rows divided by their L1 norm, each space by itself; settings drawn at random in the paper's ranges (support vector machines: C and γ from 0.01 to 1000) and chosen on the validation rows; γ = 5000 and one width τ for KRVFL+."
	}
	return p
}

// atEveryPoint is the published protocol of figures, which choose nothing.
func atEveryPoint() Protocol {
	p := published("validation", Draws{})
	p.Title = "As published: rows divided by their L1 norm, each space by itself; trained at every point of the grid and scored on the validation rows."
	return p
}

// ours differs where that is better founded, on the same splits.
func ours(draws Draws) Protocol {
	return Protocol{
		Name: OursName, Scale: "standard", Choice: "loo", Draws: draws, Center: true,
		Title: "Ours: the same splits; features standardised; settings, γ too, chosen by exact leave-one-out (support vector machines: in the paper's folds); targets of regressions centred.",
	}
}
