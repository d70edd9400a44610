package viz
import ("testing";"encoding/json";"os";"bufio";"math/rand/v2";"strings";"mcpg/mcptree")
func TestZZ(t *testing.T){
 if os.Getenv("ZZ")=="" {t.Skip()}
 f,_:=os.Create("/tmp/vz/cases.jsonl"); w:=bufio.NewWriter(f); enc:=json.NewEncoder(w); enc.SetEscapeHTML(false)
 emit:=func(id,label,what string,typ mcptree.NodeType,id2 string){
  g:=Graph{Nodes:[]Node{{ID:"a",Type:mcptree.Action,Lines:[]string{"a","action: t"}},{ID:id,Type:typ,Lines:[]string{id,what}}}}
  if id2!=""{g.Nodes=append(g.Nodes,Node{ID:id2,Type:mcptree.Action,Lines:[]string{id2,"action: t"}})}
  g.Nodes=append(g.Nodes,Node{ID:"z",Type:mcptree.Terminal,Lines:[]string{"z","ok"}})
  g.Edges=[]Edge{{From:"a",To:id},{From:id,To:"z",Label:label,labelled:label!="<none>"}}
  if id2!=""{g.Edges=append(g.Edges,Edge{From:id,To:id2},Edge{From:id2,To:id})}
  if label=="<none>"{g.Edges[1].Label="";}
  idx:=map[string]int{}; nodes:=[][]string{}; for i,n:=range g.Nodes{idx[n.ID]=i; nodes=append(nodes,[]string{n.ID,strings.Join(n.Lines,"\n")})}
  edges:=[][]any{}; for _,e:=range g.Edges{edges=append(edges,[]any{idx[e.From],idx[e.To],e.Label})}
  text,ok:=bare(g); enc.Encode(map[string]any{"text":text,"ok":ok,"safe":quoted(g),"nodes":nodes,"edges":edges,"id":id,"id2":id2,"label":label,"what":what})
 }
 types:=[]mcptree.NodeType{mcptree.Action,mcptree.Condition,mcptree.Judgment,mcptree.Terminal}
 words:=strings.Fields("end graph style class classDef click default linkStyle subgraph direction call href interpolate flowchart flowchart-elk swimlane-beta swimlane accTitle accDescr _self _blank _parent _top TB TD LR v V o x init er constructor toString 0 1 12 note title End END Graph STYLE")
 seps:=strings.Split("- . / -- -. == = _ : :: ::: & # ; , * @ { } [ ] ( ) < > ^ | ~ ~~~ ! % %% ' ` \" \\ \\| + ? $ é は ß 1 9 x o v",  " ")
 for _,typ:=range types{ for _,wd:=range words{ emit(wd,"<none>","x",typ,""); emit(wd,"l","x",typ,"")
  for _,s:=range seps{ emit(wd+s,"l","x",typ,"");emit(s+wd,"<none>","x",typ,"");emit(wd+s+"b","<none>","x",typ,"");emit("b"+s+wd,"l","x",typ,"") ; emit(wd+s+wd,"l","x",typ,"")} }
  for c:=rune(32);c<127;c++{ s:=string(c); for _,id:=range []string{s,s+"b","b"+s,"b"+s+"c",s+s,"1"+s,s+"1","é"+s,s+"é",s+"-",s+"--b","x"+s,"o"+s}{ emit(id,"<none>","x",typ,""); emit(id,"l","x",typ,"")}
   emit("m",s,"x",typ,"");emit("m",s+s,"x",typ,"");emit("m",s+"b","x",typ,"");emit("m","b"+s,s,typ,"");emit("m","b"+s+"c",s+s,typ,""); emit("m","b "+s+" c","b "+s+" c",typ,"")}
 }
 r:=rand.New(rand.NewPCG(7,uint64(len(os.Getenv("ZZ")))))
 alpha:=append(append(append([]string{},words...),seps...),"a","b"," ","\n","\t","direction TB","direction","TB","%%{init","}","{","<b","=\"",">","style:","classDef:","#","35;","ﬂ°","¶ß","&lt;","end"," ","\u2028","\u00a0","𝒳","😀","ⅷ","ɀ","Ԩ","\u0301")
 pick:=func(n int)string{ s:=""; for range 1+r.IntN(n){ s+=alpha[r.IntN(len(alpha))]}; return s}
 for range 12000 { l:=pick(6); if r.IntN(3)==0{l="l"}; id:="m"; if r.IntN(2)==0{id=pick(4)}; id2:=""; if r.IntN(3)==0{id2=pick(3)}; if id2==id||id=="a"||id=="z"||id2=="a"||id2=="z"{continue}
  what:="ok"; if r.IntN(3)==0{what=pick(6)}
  emit(id,l,what,types[r.IntN(4)],id2)}
 w.Flush(); f.Close()
}
