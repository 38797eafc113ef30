module svc/clients

go 1.25

require github.com/openai/openai-go/v3 v3.0.0
