package table

import "github.com/apache/arrow-go/v18/parquet/metadata"

// Span is when the calls of a table were made, in microseconds since 1970, both ends
// among them.
type Span struct{ First, Last int64 }

// Times gives the span of a table that says it; ok is false if it doesn't, or if a
// call has no time. It reads no calls.
func (r *Reader) Times() (s Span, ok bool) {
	type answer struct {
		Span
		ok bool
	}
	a, err := try(func() (answer, error) {
		s, ok := r.file.times(r.places[TS])
		return answer{s, ok}, nil
	})
	return a.Span, err == nil && a.ok
}

func (f *parquetFile) times(field int) (s Span, ok bool) {
	leaf := f.cols.Manifest.Fields[field].ColIndex
	for g := f.first; g < f.last; g++ {
		chunk, err := f.in.MetaData().RowGroup(g).ColumnChunk(leaf)
		if err != nil {
			return Span{}, false
		}
		stats, err := chunk.Statistics()
		if err != nil {
			return Span{}, false
		}
		times, is := stats.(*metadata.Int64Statistics)
		if !is || !times.HasMinMax() || !times.HasNullCount() || times.NullCount() > 0 {
			return Span{}, false
		}
		if g == f.first {
			s = Span{times.Min(), times.Max()}
		}
		s.First, s.Last = min(s.First, times.Min()), max(s.Last, times.Max())
	}
	return s, f.last > f.first
}

func (f *ipcFile) times(int) (Span, bool) { return Span{}, false }
