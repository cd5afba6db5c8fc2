package registry

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/fetch"
	"rvflplus/internal/inputfile"
)

// Folders returns where files of data sets are looked for: in dir (if dir is "", in
// the folder that RVFL_DATA names, if any) and then in the download cache. A dir
// that is not a folder is a fault.Usage error.
func Folders(dir string) ([]string, error) {
	if dir == "" {
		dir = os.Getenv("RVFL_DATA")
	}
	cache, err := fetch.Cache()
	if dir == "" {
		return []string{cache}, err
	}
	if info, statErr := os.Stat(dir); statErr != nil || !info.IsDir() {
		return nil, fault.New(fault.Usage, "the folder of data sets, %s, is not there", dir).
			WithHint("correct %s or RVFL_DATA", fault.Name("data-dir"))
	}
	if err != nil { // dir will do
		return []string{dir}, nil
	}
	return []string{dir, cache}, nil
}

// Locate returns where a file is, in the first of the folders that has it: as
// published, unpacked or packed with gzip or compress.
func (f File) Locate(folders []string) (path string, found bool) {
	name := f.Path
	for _, ending := range []string{".gz", ".Z"} {
		name = strings.TrimSuffix(name, ending)
	}
	for _, folder := range folders {
		for _, ending := range []string{"", ".gz", ".Z"} {
			path := filepath.Join(folder, filepath.FromSlash(name+ending))
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				return path, true
			}
		}
	}
	return "", false
}

// Available reports whether the files of the entry's rows are in the folders. They
// are not opened.
func (e Entry) Available(folders []string) bool { return e.PartAvailable(All, folders) }

// PartAvailable is Available for one of the entry's parts.
func (e Entry) PartAvailable(part string, folders []string) bool {
	for _, b := range e.blocksOf(part) {
		for _, f := range b.Files {
			if _, found := f.Locate(folders); !found {
				return false
			}
		}
	}
	return true
}

// blocksOf returns the blocks in which the rows of a part are.
func (e Entry) blocksOf(part string) []Block {
	for _, x := range e.Extra {
		if x.Name == part {
			return []Block{x.Block}
		}
	}
	return e.Blocks
}

// Check returns a fault.Data error for a file of the entry that is in none of the
// folders, or is not the published one.
func (e Entry) Check(ctx context.Context, f File, folders []string) error {
	path, err := e.locate(f, folders)
	if err != nil {
		return err
	}
	return e.verify(ctx, f, path)
}

// Download returns what fetch.Client has to fetch for the file to be in a folder.
func (f File) Download(folder string) fetch.File {
	return fetch.File{URL: f.URL, Path: filepath.Join(folder, filepath.FromSlash(f.Path)), Sum: f.Sum, Size: f.Size}
}

// locate is Locate for an entry that is to be read. The error for a file that is not there is an fs.ErrNotExist.
func (e Entry) locate(f File, folders []string) (string, error) {
	if path, found := f.Locate(folders); found {
		return path, nil
	}
	missing := fault.New(fault.Data, "%s: %s is not in %s", e.Name, f.Path, strings.Join(folders, " or ")).
		WithHint("fetch it with: rvfl data fetch %s", e.Name)
	missing.Err = fs.ErrNotExist
	return "", missing
}

// maxBytes bounds the time that a hostile file takes.
const maxBytes = 1 << 30

// verify returns a fault.Data error for a file that is not the published one.
func (e Entry) verify(ctx context.Context, f File, path string) error {
	sum := fetch.Sum{SHA256: f.SHA256(), Git: f.Sum.Git}
	err := sum.Check(ctx, path, maxBytes, func() (io.ReadCloser, error) { return inputfile.Open(path) })
	if err == nil || ctx.Err() != nil {
		return err
	}
	return fault.New(fault.Data, "%w", err).
		WithHint("this is not the published file: fetch it with rvfl data fetch %s, or read yours by its path", e.Name)
}
