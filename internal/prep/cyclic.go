package prep

import "math"

// cyclicFeatures are the features of a date beside its day number: sine and cosine of the day of the week and of the
// day of the year, so that Sunday is as near to Monday as Monday to Tuesday, and December to January.
const cyclicFeatures = 4

// setCycles sets the cyclic features of a day number, days since 1 January 1970. They are within [-1, 1] and are not
// scaled, like the features of categories. The time of day counts: noon is half a day.
func setCycles(dst []float64, day float64) {
	const (
		monday = 4        // 5 January 1970
		year   = 365.2425 // mean days of a year in the Gregorian calendar, so that the angle has no jump
		week   = 7
	)
	for k, turns := range []float64{(day - monday) / week, day / year} {
		turns -= math.Floor(turns)
		dst[2*k], dst[2*k+1] = math.Sincos(2 * math.Pi * turns)
	}
}
