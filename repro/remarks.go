package repro

func (r *Result) markRemarks(g *grid) {}
