package format

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"mcpg/calllog"
)

// bfclLines reads lines, and writes calls and findings in short.
func bfclLines(t *testing.T, lines ...string) (in *Input, recs []*Record, rules []string) {
	t.Helper()
	text := strings.Join(lines, "\n")
	if f, err := Detect([]byte(text), "log"); err != nil || f != &bfclFormat {
		t.Errorf("detected %v, %v", f, err)
	}
	in = &Input{Ctx: context.Background(), File: "log", Scope: "s", R: strings.NewReader(text), Emit: func(r *Record) error {
		recs = append(recs, r)
		return nil
	}}
	if err := bfclFormat.Read(in); err != nil {
		t.Fatal(err)
	}
	for _, f := range in.Findings {
		rules = append(rules, fmt.Sprintf("%d %s %v", f.Pos.Line, f.Rule, f.Note))
	}
	return in, recs, rules
}

func bfclShort(recs []*Record) []string {
	var out []string
	for _, r := range recs {
		c := r.Call
		out = append(out, fmt.Sprintf("%s %s %s %s %q %s>%s %d", c.Session, c.Tool, string(c.Args), c.Outcome, c.ResultText, string(c.Before), string(c.After), c.StateCalls))
	}
	return out
}

const bfclHead = `"input_token_count":[[1]],"output_token_count":[[1]],"latency":[[0.5]],`

// Two turns of tool calling: states before the first and after each.
const bfclTools = `{"id":"multi_turn_base_7","result":[],` + bfclHead + `"inference_log":[
[{"role":"state_info","class_name":"Car","content":{"locked":false}},{"role":"state_info","class_name":"Clock","content":{"t":1}}],
{"begin_of_turn_query":[{"role":"user","content":"go"}],
 "step_0":[{"role":"inference_input","content":{"message":"x"}},{"role":"assistant","content":[{"lock":"{\"door\": \"all\"}"},{"start":"{}"}]},
  {"role":"handler_log","content":"Successfully decoded model response.","model_response_decoded":["lock(door='all')","start()"]},
  {"role":"tool","content":"{\"locked\": true}"},{"role":"tool","content":"{\"error\": \"press the brake\"}"}],
 "step_1":[{"role":"assistant","content":[{"brake<|channel|>commentary":"{\"x\": 1}"}]},{"role":"handler_log","content":"ok","model_response_decoded":["brake<|channel|>commentary(x=1)"]},
  {"role":"tool","content":"Error during execution: invalid syntax"}],
 "step_2":[{"role":"assistant","content":[]},{"role":"handler_log","content":"Empty","model_response_decoded":[]}]},
[{"role":"state_info","class_name":"Car","content":{"locked":true}}],
{"begin_of_turn_query":[],"step_0":[{"role":"assistant","content":[{"stop":"{'now': True}"},{"honk":{"n":2}},{"wave":"{bad"}]},{"role":"handler_log","content":"Error decoding","error":"x"},{"role":"tool","content":"None"}]},
{"begin_of_turn_query":[],"step_0":[{"role":"assistant","content":"done"}]},
[{"role":"state_info","class_name":"Car","content":{"locked":true,"on":false}}]]}`

func bfclLine(s string) string { return strings.ReplaceAll(s, "\n", "") }

func TestBFCLTools(t *testing.T) {
	in, recs, rules := bfclLines(t, bfclLine(bfclTools))
	const first, second, third = `{"Car":{"locked":false},"Clock":{"t":1}}`, `{"Car":{"locked":true}}`, `{"Car":{"locked":true,"on":false}}`
	want := []string{
		`s/multi_turn_base_7 lock {"door": "all"} ok "{\"locked\": true}" ` + first + `> 0`,
		`s/multi_turn_base_7 start {} rejected "{\"error\": \"press the brake\"}" ` + first + `> 1`,
		`s/multi_turn_base_7 brake<|channel|>commentary {"x": 1} ok "Error during execution: invalid syntax" ` + first + `>` + second + ` 2`,
		`s/multi_turn_base_7 stop {"now":true} ok "None" ` + second + `> 0`,
		`s/multi_turn_base_7 honk {"n":2} unanswered "" ` + second + `> 1`,
		`s/multi_turn_base_7 wave "{bad" unanswered "" ` + second + `>` + third + ` 2`,
	}
	if got := bfclShort(recs); !reflect.DeepEqual(got, want) {
		t.Errorf("calls\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if want := []string{"1 odd-name true", "1 arguments true", "1 arguments true"}; !reflect.DeepEqual(rules, want) {
		t.Errorf("findings %q, want %q", rules, want)
	}
	if want := map[string]int{Used: 1}; !reflect.DeepEqual(in.Uses, want) {
		t.Errorf("uses %v", in.Uses)
	}
	for i, r := range recs {
		answered := r.Call.Outcome != calllog.Unanswered
		if r.Call.Server != "bfcl" || r.Call.StateSource != calllog.Snapshot || r.Call.StateDirty || r.Evidence.Words != (answered && r.Call.Outcome == calllog.OK) || r.Key != "" || r.Call.Pos.Line != 1 {
			t.Errorf("call %d: %+v %+v", i, r.Call, r.Evidence)
		}
	}
	if recs[0].Call.ID == recs[1].Call.ID {
		t.Error("ids are not apart")
	}
}

func TestBFCLText(t *testing.T) {
	_, recs, rules := bfclLines(t, bfclLine(`{"id":"p_1","result":[[["[cd(folder='x')]"]]],`+bfclHead+`"inference_log":[{"begin_of_turn_query":[],
"step_0":[{"role":"assistant","content":"[cd(folder='x'), A.ls(True)]"},{"role":"handler_log","content":"ok","model_response_decoded":["cd(folder='x')","A.ls(True)","sort(cat())","(1)"]},
 {"role":"tool","content":"a"},{"role":"tool","content":{"k":1}},{"role":"tool"},{"role":"tool","content":"d"},{"role":"tool","content":"e"}],
"step_1":[{"role":"assistant","content":"that is all"},{"role":"handler_log","content":"Error decoding","error":"e"}]}]}`))
	want := []string{
		`s/p_1 cd {"folder":"x"} ok "a" > 0`,
		`s/p_1 A.ls {"arg0":true} ok "{\"k\":1}" > 0`,
		`s/p_1 sort  ok "" > 0`,
	}
	if got := bfclShort(recs); !reflect.DeepEqual(got, want) {
		t.Errorf("calls\n%s", strings.Join(got, "\n"))
	}
	if want := []string{"1 arguments true", "1 bad-record false", "1 unpaired false"}; !reflect.DeepEqual(rules, want) {
		t.Errorf("findings %q", rules)
	}
	if recs[0].Call.StateSource != "" {
		t.Error("a state without a snapshot")
	}
}

func TestBFCLOther(t *testing.T) {
	in, recs, rules := bfclLines(t,
		`{"id":"e_1","result":"Error during inference: timeout","traceback":"…"}`,
		`{"id":"e_2","result":[[[{"f":"{\"a\": 1}"}],[]],[[{"g":"{}"}]]],`+bfclHead+`"x":1}`,
		`{"id":"e_3","result":[{"name":"h","arguments":{"b":2}},{"i":"{}","j":"{}"}],`+bfclHead+`"inference_log":[{"role":"inference_input","content":{}}]}`,
		`{"id":"e_4","result":[["[k(x=1), l()]"],["I can't"]],"latency":1}`,
		`{"id":"e_5","result":"No tool fits.","latency":1}`,
		`{"id":"e_6"}`,
		`{"accuracy":0.5,"correct_count":1,"total_count":2}`,
		``,
		`not JSON`,
		`{"id":7,"test_category":"c","valid":false,"error":{},"model_result":[{"m":"{}"}]}`,
		`{"id":["x"],"result":3,"inference_log":{"a":[1]}}`,
		`{"id":"e_7","result":[],"inference_log":[1,[2,{"role":"state_info"}],{"step_0":"x","step_1":[3,{"role":"tool","content":null}],"step_2":[{"role":"assistant","content":[{"":"{}"}]}]}]}`,
		`{"id":"e_8","result":[{"f":"`)
	var got []string
	for _, r := range recs {
		got = append(got, fmt.Sprintf("%s %s %s %s", r.Call.Session, r.Call.Tool, r.Call.Args, r.Call.Outcome))
	}
	want := []string{`s/e_2 f {"a": 1} unanswered`, `s/e_2 g {} unanswered`, `s/e_3 h {"b":2} unanswered`, `s/e_3 i {} unanswered`, `s/e_3 j {} unanswered`,
		`s/e_4 k {"x":1} unanswered`, `s/e_4 l {} unanswered`, `s/7 m {} unanswered`}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("calls %q", got)
	}
	if want := []string{"1 bad-record false", "6 bad-record false", "9 bad-line false", "10 score-file true", "12 unpaired false", "12 bad-record false", "13 bad-line false", "2 no-answers false"}; !reflect.DeepEqual(rules, want) {
		t.Errorf("findings %q", rules)
	}
	if want := map[string]int{Used: 4, Faulty: 5, "tests without calls": 2, "score summary": 1, "blank": 1}; !reflect.DeepEqual(in.Uses, want) || in.Silent != 2 || in.Lines != 13 {
		t.Errorf("uses %v, %d silent, %d lines", in.Uses, in.Silent, in.Lines)
	}
}

func TestBFCLDetect(t *testing.T) {
	for _, s := range []string{
		bfclLine(bfclTools)[:200],
		`{"id":"x","result":"Error during inference: `,
		`{"id":"x","result":"Error during inference: timeout"}`,
		`{"accuracy":1,"correct_count":1,"total_count":1}` + "\n" + `{"id":"x","model_name":"m","test_category":"c","valid":false,"error":["e"],"prompt":{`,
	} {
		if ok, why := detectBFCL(newHead([]byte(s))); !ok && !strings.HasSuffix(s, ": ") {
			t.Errorf("%s: %s", s, why)
		}
	}
	for _, s := range []string{``, `{`, `[]`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"result":{},"latency":1,"traceback":""}`, `{"id":1,"result":"x"}`} {
		if ok, why := detectBFCL(newHead([]byte(s))); ok || why == "" {
			t.Errorf("%s is taken for BFCL", s)
		}
	}
}

func FuzzBFCL(f *testing.F) {
	f.Add([]byte(bfclLine(bfclTools)))
	f.Add([]byte(`{"id":"e_2","result":[[[{"f":"{\"a\": 1}"}],[]],[["[k(x=1)]"]]]}` + "\n" + `{"id":"e_1","result":"Error during inference: x"}`))
	f.Add([]byte(`{"id":1,"inference_log":[{"step_0":[{"role":"handler_log","model_response_decoded":["f(1)","g<|x|>(2)"]},{"role":"tool","content":"r"}]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		size := 0
		in := &Input{Ctx: context.Background(), R: strings.NewReader(string(b)), Emit: func(r *Record) error {
			for _, v := range [][]byte{r.Call.Args, r.Call.Before, r.Call.After} {
				if v != nil && !json.Valid([]byte(strings.ToValidUTF8(string(v), "?"))) {
					t.Errorf("%q is no JSON", v)
				}
			}
			size += len(r.Call.Args) + len(r.Call.ResultText)
			return nil
		}}
		if err := bfclFormat.Read(in); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, k := range in.Uses {
			n += k
		}
		if n != in.Lines {
			t.Errorf("%d lines, %d accounted for", in.Lines, n)
		}
		if size > 16*len(b)+64 {
			t.Errorf("%d bytes became %d", len(b), size)
		}
	})
}
