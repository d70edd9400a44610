package behavior

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

type guardJSON struct {
	Allowed  []allowedJSON `json:"allowed"`
	Wide     []string      `json:"wide"`
	Failures []failureJSON `json:"failures"`
	Clusters []clusterJSON `json:"clusters"`
	Minimal  [][]atomJSON  `json:"minimal"`
	Disputed int           `json:"disputed"`
	Bounded  bool          `json:"bounded"`

	Conditions []conditionJSON `json:"conditions"`
}

type conditionJSON struct {
	Cluster  string        `json:"cluster"`
	Text     string        `json:"text"`
	Literals []literalJSON `json:"literals"`
	Reading  []literalJSON `json:"reading"`
	Calls    int           `json:"calls"`
	Causes   []string      `json:"causes"`
	Example  string        `json:"example"`
	Distinct []refJSON     `json:"distinct"`
}

type literalJSON struct {
	Path  string   `json:"path"`
	Form  string   `json:"form,omitzero"`
	With  []string `json:"with,omitzero"`
	Op    string   `json:"op"`
	Token string   `json:"token,omitzero"`
	Bound *float64 `json:"bound,omitzero"`
}

type allowedJSON struct {
	Path   string         `json:"path"`
	Tokens map[string]int `json:"tokens"`
	Lo     *float64       `json:"lo,omitzero"`
	Hi     *float64       `json:"hi,omitzero"`

	Numbers int `json:"numbers,omitzero"`
}

type atomJSON struct {
	Path  string   `json:"path"`
	Op    string   `json:"op"`
	Token string   `json:"token,omitzero"`
	Lo    *float64 `json:"lo,omitzero"`
	Hi    *float64 `json:"hi,omitzero"`
	Text  string   `json:"text"`
}

type failureJSON struct {
	Violates []atomJSON `json:"violates"`
	Cluster  string     `json:"cluster"`
	Example  string     `json:"example"`
	Calls    int        `json:"calls"`
	Causes   []string   `json:"causes"`
	Distinct []refJSON  `json:"distinct"`
}

type clusterJSON struct {
	Text        string `json:"text"`
	Calls       int    `json:"calls"`
	Unexplained int    `json:"unexplained"`
	Unobserved  int    `json:"unobserved"`
}

func guardDoc(g *Guard) guardJSON {
	d := guardJSON{Bounded: g.Bounded, Disputed: g.Disputed}
	for _, a := range g.Allowed {
		aj := allowedJSON{Path: encodePath(a.Path), Tokens: a.Tokens}
		if a.Lo <= a.Hi {
			aj.Lo, aj.Hi, aj.Numbers = &a.Lo, &a.Hi, a.Numbers
		}
		d.Allowed = append(d.Allowed, aj)
	}
	for _, p := range g.Wide {
		d.Wide = append(d.Wide, encodePath(p))
	}
	for _, f := range g.Failures {
		d.Failures = append(d.Failures, failureJSON{atomDocs(f.Violates), f.Cluster, f.Example, f.Calls, f.Causes, refDocs(f.Distinct)})
	}
	for _, c := range g.Clusters {
		d.Clusters = append(d.Clusters, clusterJSON(c))
	}
	for _, m := range g.Minimal {
		d.Minimal = append(d.Minimal, atomDocs(m))
	}
	for i := range g.Conditions {
		c := &g.Conditions[i]
		d.Conditions = append(d.Conditions, conditionJSON{c.Cluster, c.String(), literalDocs(c.Literals), literalDocs(c.Reading), c.Calls, c.Causes, c.Example, refDocs(c.Distinct)})
	}
	return d
}

var (
	literalOps   = []string{Is: "is", IsNot: "is_not", NoLess: "at_least", NoMore: "at_most", Over: "over", Under: "under", Equals: "equals", NoMultiple: "no_multiple_of"}
	literalForms = []string{Plain: "", Sum: "sum", Difference: "difference", Product: "product", SumTo: "sum_to", ProductTo: "product_to"}
)

func literalDocs(ls []Literal) []literalJSON {
	out := make([]literalJSON, 0, len(ls))
	for _, l := range ls {
		d := literalJSON{Path: encodePath(l.Path), Form: literalForms[l.Form], Op: literalOps[l.Op], Token: l.Token}
		for _, p := range l.With[:l.Form.Operands()-1] {
			d.With = append(d.With, encodePath(p))
		}
		if l.Op >= NoLess {
			d.Bound = &l.Bound
		}
		out = append(out, d)
	}
	return out
}

func decodeLiterals(docs []literalJSON) ([]Literal, error) {
	var out []Literal
	for _, d := range docs {
		p, err := decodePath(d.Path)
		if err != nil {
			return nil, err
		}
		op := slices.Index(literalOps, d.Op)
		if op < 0 || (d.Bound != nil) != (op >= int(NoLess)) {
			return nil, fmt.Errorf("literal op %q at %s: want one of %s, from at_least on with a bound", d.Op, d.Path, strings.Join(literalOps, ", "))
		}
		form := slices.Index(literalForms, d.Form)
		if form < 0 || len(d.With) != Form(form).Operands()-1 {
			return nil, fmt.Errorf("literal form %q at %s with %d more operands: want one of %s and as many as it takes", d.Form, d.Path, len(d.With), strings.Join(literalForms[1:], ", "))
		}
		l := Literal{Path: p, Op: LiteralOp(op), Token: d.Token, Form: Form(form)}
		for i, w := range d.With {
			if l.With[i], err = decodePath(w); err != nil {
				return nil, err
			}
		}
		if d.Bound != nil {
			l.Bound = *d.Bound
		}
		out = append(out, l)
	}
	return out, nil
}

func (d *conditionJSON) condition() (c Condition, err error) {
	c = Condition{Cluster: d.Cluster, Calls: d.Calls, Causes: d.Causes, Example: d.Example}
	var errs [3]error
	c.Literals, errs[0] = decodeLiterals(d.Literals)
	c.Reading, errs[1] = decodeLiterals(d.Reading)
	c.Distinct, errs[2] = decodeRefs(d.Distinct)
	return c, errors.Join(errs[:]...)
}

func atomDocs(v Violation) []atomJSON {
	out := make([]atomJSON, 0, len(v))
	for _, a := range v {
		out = append(out, atomJSON{encodePath(a.Path), [...]string{"not", "at_least", "at_most"}[a.Op], a.Token, finite(a.Op, a.Lo), finite(a.Op, a.Hi), a.String()})
	}
	return out
}

func finite(op Op, f float64) *float64 {
	if op == Not || math.IsInf(f, 0) {
		return nil
	}
	return &f
}

func (d *guardJSON) guard() (*Guard, error) {
	g := &Guard{Bounded: d.Bounded, Disputed: d.Disputed}
	for _, w := range d.Wide {
		p, err := decodePath(w)
		if err != nil {
			return nil, err
		}
		g.Wide = append(g.Wide, p)
	}
	for _, a := range d.Allowed {
		p, err := decodePath(a.Path)
		if err != nil {
			return nil, err
		}
		out := NewAllowed(p)
		for token, n := range a.Tokens {
			out.Tokens[token] = n
		}
		if a.Lo != nil && a.Hi != nil {
			out.Lo, out.Hi, out.Numbers = *a.Lo, *a.Hi, a.Numbers
		}
		g.Allowed = append(g.Allowed, out)
	}
	for _, f := range d.Failures {
		v, err := decodeAtoms(f.Violates)
		if err != nil {
			return nil, err
		}
		s, err := decodeRefs(f.Distinct)
		if err != nil {
			return nil, err
		}
		g.Failures = append(g.Failures, Failure{Violates: v, Cluster: f.Cluster, Example: f.Example, Calls: f.Calls, Causes: f.Causes, Distinct: s})
	}
	for _, c := range d.Clusters {
		g.Clusters = append(g.Clusters, Cluster(c))
	}
	for _, m := range d.Minimal {
		v, err := decodeAtoms(m)
		if err != nil {
			return nil, err
		}
		g.Minimal = append(g.Minimal, v)
	}
	for i := range d.Conditions {
		c, err := d.Conditions[i].condition()
		if err != nil {
			return nil, err
		}
		g.Conditions = append(g.Conditions, c)
	}
	g.Build()
	return g, nil
}

func decodeAtoms(docs []atomJSON) (Violation, error) {
	var out Violation
	for _, d := range docs {
		p, err := decodePath(d.Path)
		if err != nil {
			return nil, err
		}
		a := Atom{Path: p, Token: d.Token}
		switch d.Op {
		case "not":
		case "at_least":
			a.Op, a.Lo, a.Hi = AtLeast, orInf(d.Lo, -1), orInf(d.Hi, 1)
		case "at_most":
			a.Op, a.Lo, a.Hi = AtMost, orInf(d.Lo, -1), orInf(d.Hi, 1)
		default:
			return nil, fmt.Errorf("atom op %q", d.Op)
		}
		out = append(out, a)
	}
	return out, nil
}

func orInf(f *float64, sign int) float64 {
	if f == nil {
		return math.Inf(sign)
	}
	return *f
}
