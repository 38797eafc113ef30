// Calls the service with the official Go client of OpenAI: go run . URL KEY
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image/png"
	"io"
	"os"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func main() {
	client := openai.NewClient(option.WithBaseURL(os.Args[1]+"/v1"), option.WithAPIKey(os.Args[2]), option.WithMaxRetries(0))
	ctx := context.Background()
	picture := makeImage(ctx, client)
	editImage(ctx, client, picture)
	streamImage(ctx, client)
	recording := speak(ctx, client)
	transcribe(ctx, client, recording)
	talk(ctx, client, recording)
	moderate(ctx, client)
	film(ctx, client)
	batch(ctx, client)
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

const said = "The sea was calm that morning."

func speak(ctx context.Context, client openai.Client) []byte {
	response, err := client.Audio.Speech.New(ctx, openai.AudioSpeechNewParams{
		Model:          "sandbox/speak",
		Input:          said,
		Voice:          openai.AudioSpeechNewParamsVoiceUnion{OfString: openai.String("alloy")},
		ResponseFormat: openai.AudioSpeechNewParamsResponseFormatWAV,
	})
	require(err)
	defer response.Body.Close()
	recording, err := io.ReadAll(response.Body)
	require(err)
	report("speech", bytes.HasPrefix(recording, []byte("RIFF")))
	return recording
}

func transcribe(ctx context.Context, client openai.Client, recording []byte) {
	transcript, err := client.Audio.Transcriptions.New(ctx, openai.AudioTranscriptionNewParams{
		Model: "sandbox/listen",
		File:  openai.File(bytes.NewReader(recording), "said.wav", "audio/wav"),
	})
	require(err)
	report("transcript", transcript.Text == said)
}

func talk(ctx context.Context, client openai.Client, recording []byte) {
	completion, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
		Model:      "sandbox/talk",
		Modalities: []string{"text", "audio"},
		Audio: openai.ChatCompletionAudioParam{
			Format: openai.ChatCompletionAudioParamFormatWAV,
			Voice:  openai.ChatCompletionAudioParamVoiceUnion{OfString: openai.String("alloy")},
		},
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
				openai.InputAudioContentPart(openai.ChatCompletionContentPartInputAudioInputAudioParam{
					Data:   base64.StdEncoding.EncodeToString(recording),
					Format: "wav",
				}),
			}),
		},
	})
	require(err)
	spoken := completion.Choices[0].Message.Audio
	data, err := base64.StdEncoding.DecodeString(spoken.Data)
	require(err)
	usage := completion.Usage
	report("talk", spoken.Transcript == said && bytes.HasPrefix(data, []byte("RIFF")) &&
		usage.PromptTokensDetails.AudioTokens == 12 && usage.CompletionTokensDetails.AudioTokens == 24)
}

func moderate(ctx context.Context, client openai.Client) {
	checked, err := client.Moderations.New(ctx, openai.ModerationNewParams{
		Model: "sandbox/moderation",
		Input: openai.ModerationNewParamsInputUnion{OfString: openai.String(said)},
	})
	require(err)
	report("moderation", len(checked.Results) == 1 && !checked.Results[0].Flagged)
}

func film(ctx context.Context, client openai.Client) {
	video, err := client.Videos.New(ctx, openai.VideoNewParams{
		Model:   "sandbox/film",
		Prompt:  "A lighthouse at dusk",
		Seconds: openai.VideoSeconds4,
		Size:    openai.VideoSize1280x720,
	})
	for err == nil && (video.Status == openai.VideoStatusQueued || video.Status == openai.VideoStatusInProgress) {
		time.Sleep(time.Second)
		video, err = client.Videos.Get(ctx, video.ID)
	}
	require(err)
	content, err := client.Videos.DownloadContent(ctx, video.ID, openai.VideoDownloadContentParams{})
	require(err)
	defer content.Body.Close()
	bytes, err := io.ReadAll(content.Body)
	require(err)
	report("video", video.Status == openai.VideoStatusCompleted && len(bytes) > 1000)
}

const line = `{"custom_id": "first", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "sandbox/echo",
	"max_tokens": 20, "messages": [{"role": "user", "content": "Hello"}]}}`

func batch(ctx context.Context, client openai.Client) {
	lines, err := client.Files.New(ctx, openai.FileNewParams{
		Purpose: openai.FilePurposeBatch,
		File:    openai.File(strings.NewReader(strings.ReplaceAll(line, "\n", "")), "lines.jsonl", "application/jsonl"),
	})
	require(err)
	job, err := client.Batches.New(ctx, openai.BatchNewParams{
		InputFileID:      lines.ID,
		Endpoint:         openai.BatchNewParamsEndpointV1ChatCompletions,
		CompletionWindow: openai.BatchNewParamsCompletionWindow24h,
	})
	for err == nil && (job.Status == openai.BatchStatusValidating || job.Status == openai.BatchStatusInProgress || job.Status == openai.BatchStatusFinalizing) {
		time.Sleep(time.Second)
		job, err = client.Batches.Get(ctx, job.ID)
	}
	require(err)
	content, err := client.Files.Content(ctx, job.OutputFileID)
	require(err)
	defer content.Body.Close()
	results, err := io.ReadAll(content.Body)
	require(err)
	report("batch", job.Status == openai.BatchStatusCompleted && bytes.Contains(results, []byte(`"custom_id":"first"`)))
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
