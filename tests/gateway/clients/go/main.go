// Calls the service with the official Go client of OpenAI: go run . URL KEY
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image/png"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func main() {
	client := openai.NewClient(option.WithBaseURL(os.Args[1]+"/v1"), option.WithAPIKey(os.Args[2]), option.WithMaxRetries(0))
	ctx := context.Background()
	picture := makeImage(ctx, client)
	editImage(ctx, client, picture)
	streamImage(ctx, client)
}

func makeImage(ctx context.Context, client openai.Client) []byte {
	made, err := client.Images.Generate(ctx, openai.ImageGenerateParams{
		Model:   "sandbox/paint",
		Prompt:  "A lighthouse",
		Quality: openai.ImageGenerateParamsQualityLow,
	})
	require(err)
	picture := decode(made.Data[0].B64JSON)
	report("image", made.Usage.OutputTokens == 196)
	return picture
}

func editImage(ctx context.Context, client openai.Client, picture []byte) {
	edited, err := client.Images.Edit(ctx, openai.ImageEditParams{
		Model:   "sandbox/paint",
		Prompt:  "Add a boat",
		Quality: openai.ImageEditParamsQualityLow,
		Image: openai.ImageEditParamsImageUnion{
			OfFile: openai.File(bytes.NewReader(picture), "lighthouse.png", "image/png"),
		},
	})
	require(err)
	decode(edited.Data[0].B64JSON)
	report("edit", edited.Usage.InputTokensDetails.ImageTokens == 1024)
}

func streamImage(ctx context.Context, client openai.Client) {
	stream := client.Images.GenerateStreaming(ctx, openai.ImageGenerateParams{
		Model:         "sandbox/paint",
		Prompt:        "A lighthouse",
		Quality:       openai.ImageGenerateParamsQualityLow,
		PartialImages: openai.Int(2),
	})
	var types []string
	for stream.Next() {
		types = append(types, stream.Current().Type)
	}
	require(stream.Err())
	report("stream", fmt.Sprint(types) == "[image_generation.partial_image image_generation.partial_image image_generation.completed]")
}

func decode(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	require(err)
	_, err = png.Decode(bytes.NewReader(data))
	require(err)
	return data
}

func report(what string, isRight bool) {
	fmt.Println(what, isRight)
}

func require(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
