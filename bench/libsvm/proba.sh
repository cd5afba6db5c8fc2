#!/bin/sh
# Log-loss of class probabilities by rvfl train --proba platt, by svm-train -b 1, and
# of the softmax of scores, on test rows: the mean of ten stratified halves, C = 10,
# width 10, features scaled by svm-scale. RVFL_DATA names the folder of data sets;
# rvfl and Debian's libsvm-tools are in PATH. Prints a Markdown table.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
loss() { rvfl eval "$1" test.libsvm --json 2>/dev/null | sed 's/.*"log_loss":\([^,}]*\).*/\1/'; }
echo "| data | softmax of scores | svm-train -b 1 | rvfl --proba platt |"
echo "|---|---:|---:|---:|"
for data in wine:class glass:type parkinsons:status; do
	for seed in 1 2 3 4 5 6 7 8 9 10; do
		rvfl data split "@${data%:*}" a.libsvm b.libsvm --train 0.5 --stratify "${data#*:}" --seed $seed >/dev/null 2>&1
		svm-scale -s range a.libsvm >train.libsvm 2>/dev/null
		svm-scale -r range b.libsvm >test.libsvm 2>/dev/null
		svm-train -q -b 1 -c 10 -g 0.1 train.libsvm theirs.model
		rvfl train train.libsvm -m svm --scale none --C 10 --width 10 -o plain.rvfl >/dev/null 2>&1
		rvfl train train.libsvm -m svm --scale none --C 10 --width 10 --proba platt -o ours.rvfl >/dev/null 2>&1
		echo "$(loss plain.rvfl) $(loss theirs.model) $(loss ours.rvfl)"
	done | awk -v data="${data%:*}" '{a += $1; b += $2; c += $3} END {printf "| %s | %.3f | %.3f | %.3f |\n", data, a / NR, b / NR, c / NR}'
done
