package filesystem

import (
	"encoding/base64"
	"fmt"
	"path"
	"strings"
)

var mimeTypes = map[string]string{
	".png":  "image/png",
	".jpg":  "image/jpeg",
	".jpeg": "image/jpeg",
	".gif":  "image/gif",
	".webp": "image/webp",
	".bmp":  "image/bmp",
	".svg":  "image/svg+xml",
	".mp3":  "audio/mpeg",
	".wav":  "audio/wav",
	".ogg":  "audio/ogg",
	".flac": "audio/flac",
}

// readMediaFile answers with a content block that holds no text; the text of
// the answer is that block as JSON.
func readMediaFile(s *Server, a arguments) (output, *failure) {
	name, failed := s.locate(a.path)
	if failed != nil {
		return output{}, failed
	}
	data, failed := s.disk.readFile(name)
	if failed != nil {
		return output{}, failed
	}
	item := mediaItem(name, encodeBinary(data))
	return output{text: string(item), item: item}, nil
}

func mediaItem(name, encoded string) []byte {
	mime, known := mimeTypes[strings.ToLower(extension(name))]
	if !known {
		return concat(`{"type":"resource","resource":{"uri":`, quote(fileURL(name)),
			`,"mimeType":"application/octet-stream","blob":`, quote(encoded), `}}`)
	}
	kind, _, _ := strings.Cut(mime, "/")
	return concat(`{"type":`, quote(kind), `,"data":`, quote(encoded), `,"mimeType":`, quote(mime), `}`)
}

// extension is that of the last name; a name that only begins with a dot has
// none.
func extension(name string) string {
	base := path.Base(name)
	if ext := path.Ext(base); ext != base {
		return ext
	}
	return ""
}

// fileURL escapes what a URL parser escapes in a path, and what would end it.
func fileURL(name string) string {
	var b strings.Builder
	b.WriteString("file://")
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"#%<>?[\\]^`{|}~", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func encodeBinary(data string) string {
	return base64.StdEncoding.EncodeToString([]byte(data))
}
