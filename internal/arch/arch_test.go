package arch

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// module is the module's path.
const module = "mcpg/"

// pkg is a package of the module, without its tests.
type pkg struct {
	dir     string
	name    string
	doc     string
	imports map[string]string // path of the import: where, file:line
	inits   []string          // where
}

// TestTable holds the module against the table.
func TestTable(t *testing.T) {
	pkgs, err := load(os.DirFS(root(t)))
	if err != nil {
		// Tests of a tree in the middle of an edit: the compiler says more.
		t.Log(err)
	}
	for _, fault := range check(pkgs) {
		t.Error(fault)
	}
}

// TestRows: every name in the table is in it.
func TestRows(t *testing.T) {
	for i, r := range table {
		if r.why == "" || slices.IndexFunc(table, func(o row) bool { return o.dir == r.dir }) != i {
			t.Errorf("row %s is there twice, or without a reason", r.dir)
		}
		for _, name := range slices.Concat(r.may, r.not) {
			if name != all && rowOf(name) == nil {
				t.Errorf("row %s names %s, which has no row", r.dir, name)
			}
		}
	}
}

// root returns the module's directory.
func root(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}

// load reads the packages in fsys, sorted. It returns those that it could read
// even with an error.
func load(fsys fs.FS) ([]*pkg, error) {
	pkgs := map[string]*pkg{}
	var errs []error
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			errs = append(errs, err)
			return nil
		case d.IsDir():
			return skip(fsys, name)
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		errs = append(errs, add(pkgs, fsys, name))
		return nil
	})
	sorted := slices.SortedFunc(maps.Values(pkgs), func(a, b *pkg) int { return strings.Compare(a.dir, b.dir) })
	return sorted, errors.Join(append(errs, err)...)
}

// skip passes over what isn't of the module, as the go command does.
func skip(fsys fs.FS, dir string) error {
	base := path.Base(dir)
	if dir == "." {
		return nil
	}
	if base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return fs.SkipDir
	}
	if _, err := fs.Stat(fsys, path.Join(dir, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

// add puts a file to its package.
func add(pkgs map[string]*pkg, fsys fs.FS, name string) error {
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if file == nil || file.Name == nil || ignored(file) {
		return err
	}
	dir := path.Dir(name)
	p := pkgs[dir]
	if p == nil {
		p = &pkg{dir: dir, name: file.Name.Name, imports: map[string]string{}}
		pkgs[dir] = p
	}
	if file.Doc != nil {
		p.doc += file.Doc.Text()
	}
	where := func(n ast.Node) string { return fmt.Sprintf("%s:%d", name, fset.Position(n.Pos()).Line) }
	for _, imp := range file.Imports {
		if to, err := strconv.Unquote(imp.Path.Value); err == nil {
			p.imports[to] = where(imp)
		}
	}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			p.inits = append(p.inits, where(f))
		}
	}
	return err
}

// ignored reports whether the file is no part of its package: //go:build ignore.
func ignored(file *ast.File) bool {
	for _, group := range file.Comments {
		if group.Pos() > file.Package {
			break
		}
		for _, c := range group.List {
			if x, err := constraint.Parse(c.Text); err == nil && x.String() == "ignore" {
				return true
			}
		}
	}
	return false
}

// rowOf returns the row of a directory: its own or that of the nearest above.
func rowOf(dir string) *row {
	for ; dir != "."; dir = path.Dir(dir) {
		for i := range table {
			if table[i].dir == dir {
				return &table[i]
			}
		}
	}
	return nil
}

// check returns what is wrong with the packages.
func check(pkgs []*pkg) []string {
	var faults []string
	byDir := map[string]*pkg{}
	for _, p := range pkgs {
		byDir[p.dir] = p
	}
	for _, p := range pkgs {
		r := rowOf(p.dir)
		if r == nil {
			faults = append(faults, fmt.Sprintf("package %s isn't in the table of internal/arch: add it, with a reason", p.dir))
			continue
		}
		faults = append(faults, checkImports(p, r)...)
		faults = append(faults, checkForm(p, r)...)
		if slices.Contains(noArrow, r.dir) {
			if way := reach(byDir, p.dir, map[string]bool{}); way != nil {
				faults = append(faults, fmt.Sprintf("package %s must not reach Arrow: %s", p.dir, strings.Join(way, " → ")))
			}
		}
	}
	return faults
}

// checkImports holds a package against its row.
func checkImports(p *pkg, r *row) []string {
	var faults []string
	for _, to := range slices.Sorted(maps.Keys(p.imports)) {
		if dir, ok := strings.CutPrefix(to, module); ok && !allowed(r, dir) {
			faults = append(faults, fmt.Sprintf("%s: package %s may not import %s: it may %s", p.imports[to], p.dir, dir, list(r)))
		}
		for _, f := range files {
			if p.dir != filesFor && (to == f || strings.HasPrefix(to, f+"/")) {
				faults = append(faults, fmt.Sprintf("%s: only %s may import %s", p.imports[to], filesFor, to))
			}
		}
	}
	return faults
}

func allowed(r *row, dir string) bool {
	to := rowOf(dir)
	switch {
	case to == nil:
		return false
	case to == r || to.dir == "internal":
		return true
	case slices.Contains(r.not, to.dir):
		return false
	}
	return slices.Contains(r.may, all) || slices.Contains(r.may, to.dir)
}

// list says what a row allows.
func list(r *row) string {
	switch {
	case len(r.not) > 0:
		return "import all but " + strings.Join(r.not, ", ")
	case len(r.may) == 0:
		return "import nothing of ours but internal"
	}
	return "import " + strings.Join(r.may, ", ")
}

// checkForm looks for the package comment and for init.
func checkForm(p *pkg, r *row) []string {
	var faults []string
	switch {
	case strings.TrimSpace(p.doc) == "":
		faults = append(faults, fmt.Sprintf("package %s has no package comment", p.dir))
	case p.name != "main" && !strings.Contains("\n"+p.doc, "\nPackage "+p.name+" "):
		faults = append(faults, fmt.Sprintf("the comment of package %s doesn't begin with %q", p.dir, "Package "+p.name))
	}
	if r.init {
		return faults
	}
	for _, at := range p.inits {
		faults = append(faults, at+": a function init; write the list out, or make the value where it is used")
	}
	return faults
}

// reach returns the imports that lead from dir to Arrow, nil if none do.
func reach(byDir map[string]*pkg, dir string, seen map[string]bool) []string {
	p := byDir[dir]
	if p == nil || seen[dir] {
		return nil
	}
	seen[dir] = true
	for _, to := range slices.Sorted(maps.Keys(p.imports)) {
		if strings.HasPrefix(to, arrow) {
			return []string{dir, to}
		}
		if next, ok := strings.CutPrefix(to, module); ok {
			if way := reach(byDir, next, seen); way != nil {
				return append([]string{dir}, way...)
			}
		}
	}
	return nil
}

// TestCheck shows the check what it must find.
func TestCheck(t *testing.T) {
	const arrowImport = `import "github.com/apache/arrow-go/v18/arrow"`
	tests := []struct {
		name string
		tree map[string]string // a file: its text after the package comment and clause
		want []string
	}{
		{"fine", map[string]string{
			"calllog/a.go": `import ("fmt"; "mcpg/internal/diag")`, "internal/diag/a.go": "",
			"behavior/a.go": `import "mcpg/calllog"`, "cmd/mcpg/a.go": `import "mcpg/report"` + "\nfunc init() {}",
			"learn/a_test.go": `import "mcpg/report"`, "simulators/release/a.go": `import ("mcpg/simulate"; "mcpg/simulators")`,
			"ingest/table/a.go": arrowImport, "learn/batch/a.go": `import "mcpg/ingest/table"`,
		}, nil},
		{"wrong way", map[string]string{"calllog/a.go": `import "mcpg/behavior"`},
			[]string{"calllog/a.go:3: package calllog may not import behavior: it may import nothing of ours but internal"}},
		{"below an allowed one", map[string]string{"ingest/x/a.go": `import "mcpg/learn/batch"`},
			[]string{"ingest/x/a.go:3: package ingest/x may not import learn/batch: it may import calllog, calllog/redact, behavior, adapter, store, ingest/format, ingest/table"}},
		{"below a row", map[string]string{"bench/a.go": `import "mcpg/simulators/release"`, "report/a.go": `import "mcpg/mcptree/lint"`}, nil},
		{"mcptree and report", map[string]string{"cmd/mcptree/a.go": `import ("mcpg/report/draw"; "mcpg/report")`},
			[]string{"cmd/mcptree/a.go:3: package cmd/mcptree may not import report: it may import all but report, report/draw",
				"cmd/mcptree/a.go:3: package cmd/mcptree may not import report/draw: it may import all but report, report/draw"}},
		{"not in the table", map[string]string{"utils/a.go": ""},
			[]string{"package utils isn't in the table of internal/arch: add it, with a reason"}},
		{"in the root", map[string]string{"a.go": ""},
			[]string{"package . isn't in the table of internal/arch: add it, with a reason"}},
		{"Arrow", map[string]string{"policy/a.go": arrowImport},
			[]string{"package policy must not reach Arrow: policy → github.com/apache/arrow-go/v18/arrow"}},
		{"Arrow through another", map[string]string{"policy/a.go": `import "mcpg/internal/x"`, "internal/x/a.go": arrowImport},
			[]string{"package policy must not reach Arrow: policy → internal/x → github.com/apache/arrow-go/v18/arrow"}},
		{"Parquet", map[string]string{"analyze/a.go": `import "github.com/apache/arrow-go/v18/parquet/file"`},
			[]string{"analyze/a.go:3: only ingest/table may import github.com/apache/arrow-go/v18/parquet/file"}},
		{"init", map[string]string{"store/a.go": "func init() {}\ntype T int\nfunc (T) init() {}"},
			[]string{"store/a.go:3: a function init; write the list out, or make the value where it is used"}},
		{"other modules and data", map[string]string{"scale/go.mod": "", "scale/a.go": `import "mcpg/report"`,
			"calllog/testdata/a.go": "", ".x/a.go": "", "_y/a.go": ""}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			pkgs, err := load(tree(test.tree))
			if err != nil {
				t.Fatal(err)
			}
			if got := check(pkgs); !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// tree makes a module of files, each with a package comment.
func tree(texts map[string]string) fs.FS {
	fsys := fstest.MapFS{}
	for name, text := range texts {
		p := path.Base(path.Dir(name))
		if p == "." || strings.HasPrefix(name, "cmd/") {
			p = "main"
		}
		fsys[name] = &fstest.MapFile{Data: []byte("// Package " + p + " is one.\npackage " + p + "\n" + text)}
	}
	return fsys
}

func TestForm(t *testing.T) {
	for src, want := range map[string]string{
		"package store":                                     "package store has no package comment",
		"// Stores things.\npackage store":                  `the comment of package store doesn't begin with "Package store"`,
		"//go:build linux\n\npackage store":                 "package store has no package comment",
		"// Package store stores.\npackage store":           "",
		"//go:build ignore\n\npackage main\nfunc init() {}": "",
	} {
		pkgs, err := load(fstest.MapFS{"store/a.go": {Data: []byte(src)}})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(check(pkgs), "\n"); got != want {
			t.Errorf("%q: got %s, want %s", src, got, want)
		}
	}
}

// TestBroken: a file that can't be read doesn't hide the others.
func TestBroken(t *testing.T) {
	pkgs, err := load(fstest.MapFS{
		"store/a.go": {Data: []byte("// Package store stores.\npackage store\nfunc {")},
		"store/b.go": {Data: []byte("package store\nimport \"mcpg/report\"")},
		"store/c.go": {Data: []byte("")},
	})
	if err == nil || len(check(pkgs)) != 1 {
		t.Errorf("%v, %v", err, check(pkgs))
	}
}

// TestExamples: every package that others may import shows how it is used.
func TestExamples(t *testing.T) {
	fsys := os.DirFS(root(t))
	pkgs, err := load(fsys)
	if err != nil {
		t.Log(err)
	}
	for _, p := range pkgs {
		if p.name == "main" || p.dir == "bench/llm" || strings.HasPrefix(p.dir, "internal/") {
			continue
		}
		files, err := fs.Glob(fsys, p.dir+"/*_test.go")
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, name := range files {
			b, err := fs.ReadFile(fsys, name)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(b), "\nfunc Example") && strings.Contains(string(b), "// Output:")
		}
		if !found {
			t.Errorf("package %s has no Example", p.dir)
		}
	}
}
