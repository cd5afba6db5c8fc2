// Command generate writes what is made of the table of hyper-parameters: config.go of the root package and
// docs/parameters.md. go generate in the root of the module runs it.
package main

import (
	"fmt"
	"os"
)

func main() {
	for path, make := range outputs {
		content, err := make()
		if err == nil {
			err = os.WriteFile(path, content, 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "generate:", err)
			os.Exit(1)
		}
	}
}

// outputs are the files, by their paths below the root of the module.
var outputs = map[string]func() ([]byte, error){
	"config.go":          configSource,
	"docs/parameters.md": parametersPage,
}
