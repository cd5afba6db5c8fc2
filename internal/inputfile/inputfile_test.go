package inputfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rvflplus/fault"
)

// cells is "a,b\n1,2\n" as compress(1) writes it.
var cells = []byte{0x1f, 0x9d, 0x90, 0x61, 0x58, 0x88, 0x51, 0x10, 0x83, 0x85, 0x0c, 0x05}

func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readFile(t *testing.T, name string, data []byte) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(f)
	return string(text), errors.Join(err, f.Close())
}

func TestCompressedFiles(t *testing.T) {
	for name, data := range map[string][]byte{"a.csv": []byte("a,b\n1,2\n"), "a.csv.gz": gzipped(t, "a,b\n1,2\n"),
		"a.csv.Z": cells} {
		if text, err := readFile(t, name, data); err != nil || text != "a,b\n1,2\n" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

func TestErrorsOfCompressedFilesNameThem(t *testing.T) {
	long := gzipped(t, strings.Repeat("1,2\n", 1000))
	wrong := bytes.Clone(long)
	wrong[len(wrong)-6]++ // of the checksum
	bad := append(bytes.Clone(cells), 0xFF, 0xFF, 0xFF)
	for name, data := range map[string][]byte{
		"none.gz": []byte("a,b\n"), "none.Z": []byte("a,b\n"), "empty.gz": nil, "empty.Z": nil,
		"cut.gz": long[:len(long)-9], "cut.Z": cells[:len(cells)-2], "wrong.gz": wrong, "wrong.Z": bad,
	} {
		_, err := readFile(t, name, data)
		if !errors.Is(err, fault.Data) || strings.Count(fmt.Sprint(err), name) != 1 {
			t.Errorf("%s: %v", name, err)
		}
		if strings.HasPrefix(name, "cut") && fault.HintOf(err) == "" {
			t.Errorf("%s: no hint", name)
		}
	}
}
