package main

import (
	"fmt"
	"os"

	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() {
	which := ""
	if len(os.Args) > 1 {
		which = os.Args[1]
		os.Args = append(os.Args[:1], os.Args[2:]...)
	}
	switch which {
	case "apiserver":
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "controller-manager":
		os.Exit(cli.Run(manager.NewControllerManagerCommand()))
	default:
		fmt.Fprintln(os.Stderr, "usage: kube apiserver|controller-manager FLAGS")
		os.Exit(2)
	}
}
