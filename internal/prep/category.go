package prep

import "slices"

// groupRare moves the categories that fewer rows have than minCategory from Levels to Rare.
func (c *Column) groupRare(counts map[string]int, minCategory int) {
	levels := []string{}
	for _, level := range c.Levels {
		if counts[level] < minCategory {
			c.Rare = append(c.Rare, level)
		} else {
			levels = append(levels, level)
		}
	}
	c.Levels = levels
}

// levels returns the number of 0/1 features that tell categories apart: one for each level, and one for all rare
// categories together.
func (c *Column) levels() int {
	if c.Rare != nil {
		return len(c.Levels) + 1
	}
	return len(c.Levels)
}

// find returns the number of the feature that a category is 1 in; known is false for one that training did not have.
func (c *Column) find(category string) (level int, known bool) {
	if level, known = slices.BinarySearch(c.Levels, category); known {
		return level, true
	}
	_, known = slices.BinarySearch(c.Rare, category)
	return len(c.Levels), known
}

// Categories returns all categories that training had, the rare ones too, sorted; nil for numbers.
func (c *Column) Categories() []string {
	if c.Levels == nil {
		return nil
	}
	return slices.Sorted(slices.Values(slices.Concat(c.Levels, c.Rare)))
}

// soundLevels reports whether the categories are those that Fit could have found: some, each once, in order.
func (c *Column) soundLevels() bool {
	all := c.Categories()
	once := len(slices.Compact(slices.Clone(all))) == len(all)
	return len(all) > 0 && once && slices.IsSorted(c.Levels) && slices.IsSorted(c.Rare) &&
		(c.Rare == nil || len(c.Rare) > 0)
}
